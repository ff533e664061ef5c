import type { ReplyStep } from '../../../generation/generation.api';
import { OWN_SIGNATURE } from '../signatures';
import { type ContentBlock, type MessageHead, textBlock, toolUseBlock } from './message';
import { eventText } from './server-sent-event';
import { parseObject, toolInput } from './tool-input';

type OpenBlock = { type: 'text' | 'thinking' } | { type: 'tool_use'; call: number; name: string; text: string };

/**
 * The events of the content blocks of a streamed message, numbered without gaps. Only one block is open at a time: if a
 * provider mixes the arguments of several calls, the steps after the first call wait until its arguments are complete.
 */
export class BlockEvents {
  private open: OpenBlock | null = null;
  private count = 0;
  private waiting: ReplyStep[] = [];
  /** The calls that the service makes itself. */
  private readonly hidden = new Set<number>();

  constructor(private readonly head: Omit<MessageHead, 'model' | 'promptTokens'>) {}

  /** @throws ProviderError for a call whose arguments are not a JSON object */
  add(step: ReplyStep): string {
    if (this.waiting.length === 0 && this.takes(step)) {
      return this.write(step);
    }
    if (!this.continuesCall(step)) {
      this.waiting.push(step);
      return '';
    }
    const text = this.write(step);
    return step.kind === 'tool_arguments' && step.text.endsWith('}') ? text + this.release() : text;
  }

  /** The rest of the events, after the last step. @throws ProviderError as above */
  end(): string {
    let text = '';
    for (let [step] = this.waiting; step !== undefined; [step] = this.waiting) {
      text += (this.takes(step) ? '' : this.close()) + this.write(step);
      this.waiting.shift();
    }
    return text + this.close();
  }

  private release(): string {
    let text = '';
    for (let [step] = this.waiting; step !== undefined && this.takes(step); [step] = this.waiting) {
      text += this.write(step);
      this.waiting.shift();
    }
    return text;
  }

  /** Whether the step can be written now: it continues the open block, or that block is complete. */
  private takes(step: ReplyStep): boolean {
    const { open } = this;
    return (
      open?.type !== 'tool_use' || this.continuesCall(step) || !this.isShown(step) || parseObject(open.text) !== null
    );
  }

  private continuesCall(step: ReplyStep): boolean {
    return step.kind === 'tool_arguments' && this.open?.type === 'tool_use' && this.open.call === step.call;
  }

  private isShown(step: ReplyStep): boolean {
    switch (step.kind) {
      case 'text':
      case 'tool_call':
        return true;
      case 'reasoning':
        return this.head.thinking !== null;
      case 'tool_arguments':
        return !this.hidden.has(step.call);
      default:
        return false;
    }
  }

  private write(step: ReplyStep): string {
    switch (step.kind) {
      case 'text':
        return this.begin('text', textBlock('')) + this.delta({ type: 'text_delta', text: step.text });
      case 'reasoning':
        return this.think(step.text);
      case 'tool_call':
        return this.call(step);
      case 'tool_arguments':
        return this.addArguments(step);
      default:
        return '';
    }
  }

  private think(thinking: string): string {
    const { thinking: display } = this.head;
    if (display === null) {
      return '';
    }
    const begun = this.begin('thinking', { type: 'thinking', thinking: '', signature: '' });
    return display === 'omitted' ? begun : begun + this.delta({ type: 'thinking_delta', thinking });
  }

  private call(step: Extract<ReplyStep, { kind: 'tool_call' }>): string {
    const closed = this.close();
    if (this.head.own.has(step.name)) {
      this.hidden.add(step.call);
      return closed;
    }
    this.open = { type: 'tool_use', call: step.call, name: step.name, text: '' };
    return closed + this.started(toolUseBlock(this.head, step, {}));
  }

  private addArguments(step: Extract<ReplyStep, { kind: 'tool_arguments' }>): string {
    if (this.open?.type !== 'tool_use' || !this.continuesCall(step)) {
      return '';
    }
    const { text: partial_json } = step;
    this.open.text += partial_json;
    return this.delta({ type: 'input_json_delta', partial_json });
  }

  /** Opens a block unless one of this type is open. */
  private begin(type: 'text' | 'thinking', block: ContentBlock): string {
    if (this.open?.type === type) {
      return '';
    }
    const closed = this.close();
    this.open = { type };
    return closed + this.started(block);
  }

  private started(content_block: ContentBlock): string {
    this.count++;
    return eventText({ type: 'content_block_start', index: this.count - 1, content_block } as { type: string });
  }

  private delta(delta: object): string {
    return eventText({ type: 'content_block_delta', index: this.count - 1, delta } as { type: string });
  }

  private close(): string {
    const { open } = this;
    if (open === null) {
      return '';
    }
    this.open = null;
    if (open.type === 'tool_use') {
      toolInput(open.text, this.head.tools.get(open.name));
    }
    const sealed = open.type === 'thinking' ? this.delta({ type: 'signature_delta', signature: OWN_SIGNATURE }) : '';
    return sealed + eventText({ type: 'content_block_stop', index: this.count - 1 } as { type: string });
  }
}
