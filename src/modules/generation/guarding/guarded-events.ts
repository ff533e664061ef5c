import { MessageMeter } from '../../../integrations/llm/model-relays';
import { isObject, objectIn, readAnthropicEvent } from '../../../integrations/llm/port/anthropic-message';
import type { CompletionListener } from '../../../integrations/llm/port/language-model-provider';
import { MaskRestorer } from '../../guard/guard.api';
import { type GuardedPart, guardPart, releasedArguments } from './guarded-part';
import type { GuardedReply } from './guarded-reply';
import { OutputBlockedError, type OutputPiece, shownText, withPieces } from './window-release';

type JsonObject = Record<string, unknown>;

/** A block of a message whose end has not arrived. */
interface OpenBlock {
  index: number;
  type: 'text' | 'thinking';
  part: GuardedPart;
  restorer: MaskRestorer | null;
}

/** A call whose arguments are not complete. */
interface OpenCall {
  index: number;
  start: JsonObject;
  text: string;
}

/**
 * Passes the events of Anthropic's Messages API to the guards of the output, and released ones on. Text waits for its
 * guards and is then sent in new events of its block. Thinking is signed by the provider: it stays as it is, or a finding
 * blocks the reply.
 */
export class GuardedEvents {
  private block: OpenBlock | null = null;
  private call: OpenCall | null = null;
  /** Citations of the provider in the text, in their order. */
  private readonly citations: JsonObject[] = [];
  /** As reported at the start of the message. */
  private outputTokens = 0;
  private readonly meter: MessageMeter;

  constructor(
    private readonly reply: GuardedReply,
    private readonly signal: AbortSignal,
    private readonly target: Pick<
      CompletionListener,
      'onText' | 'onReasoning' | 'onToolCall' | 'onToolArguments' | 'onEvent'
    >,
  ) {
    this.meter = meterOf(target);
  }

  /** The output that was not released. */
  get withheld(): string {
    return (this.block?.part.rest ?? '') + (this.call?.text ?? '');
  }

  /** @param text of an event, or a whole message @throws OutputBlockedError, GuardUnavailableError */
  async take(text: string): Promise<void> {
    const event = readAnthropicEvent(text);
    try {
      await this.takeEvent(event, text);
    } catch (error) {
      if (error instanceof OutputBlockedError) {
        this.close(event);
      }
      throw error;
    }
  }

  private async takeEvent(event: JsonObject | null, text: string): Promise<void> {
    switch (event?.type) {
      case 'message':
        this.pass(await this.guardMessage(event));
        break;
      case 'content_block_start':
        await this.begin(event);
        break;
      case 'content_block_delta':
        await this.grow(event, text);
        break;
      case 'content_block_stop':
        await this.end();
        this.pass(event, text);
        break;
      case 'message_start':
        this.outputTokens = Number(objectIn(objectIn(event.message).usage).output_tokens ?? 0);
        this.pass(event, text);
        break;
      default:
        this.pass(event, text);
    }
  }

  /** Completes a message whose output a guard has blocked. */
  private close(event: JsonObject | null): void {
    if (event?.type === 'message') {
      this.pass({ ...event, content: [], stop_reason: 'refusal', stop_sequence: null });
      return;
    }
    if (this.block !== null) {
      this.pass({ type: 'content_block_stop', index: this.block.index });
    }
    const delta = { stop_reason: 'refusal', stop_sequence: null };
    this.pass({ type: 'message_delta', delta, usage: { output_tokens: this.outputTokens } });
    this.pass({ type: 'message_stop' });
  }

  private async begin(event: JsonObject): Promise<void> {
    const index = Number(event.index);
    const block = objectIn(event.content_block);
    if (block.type === 'tool_use' || block.type === 'server_tool_use') {
      const input = objectIn(block.input);
      this.call = { index, start: event, text: Object.keys(input).length === 0 ? '' : JSON.stringify(input) };
      return;
    }
    if (block.type !== 'text' && block.type !== 'thinking') {
      this.pass(event);
      return;
    }
    const member = block.type;
    const first = block[member];
    this.pass({ ...event, content_block: { ...block, [member]: '' } });
    this.block = this.openBlock(index, member);
    await this.block.part.take(typeof first === 'string' && first !== '' ? [first] : []);
  }

  private openBlock(index: number, type: OpenBlock['type']): OpenBlock {
    const { scope, masks, guards, released } = this.reply;
    const kind = type === 'text' ? 'text' : 'reasoning';
    const restorer = type === 'text' ? new MaskRestorer(masks) : null;
    const before = released[kind];
    const context = { part: kind, scope, masks, signal: this.signal, before, isSigned: type === 'thinking' } as const;
    const part = guardPart(guards, context, async (pieces) => {
      await this.reply.saveMasks();
      pieces.forEach((piece) => this.show({ index, type, restorer }, piece));
      released[kind] = withPieces(released[kind], pieces);
    });
    return { index, type, part, restorer };
  }

  private show({ index, type, restorer }: Omit<OpenBlock, 'part'>, piece: OutputPiece): void {
    const shown =
      typeof piece === 'string' ? (restorer?.read(piece) ?? piece) : (restorer?.end() ?? '') + shownText(piece);
    this.passDelta(index, type, shown);
    if (typeof piece === 'number') {
      this.pass(this.citations[piece] ?? null);
    }
  }

  private async grow(event: JsonObject, text: string): Promise<void> {
    const delta = objectIn(event.delta);
    const { call, block } = this;
    if (call !== null && typeof delta.partial_json === 'string') {
      call.text += delta.partial_json;
    } else if (block !== null && typeof delta[block.type] === 'string') {
      await block.part.take([delta[block.type] as string]);
    } else if (block !== null && 'citation' in delta) {
      await block.part.take([this.citations.push(event) - 1]);
    } else {
      // Such as the signature, which follows the thinking.
      await this.end();
      this.pass(event, text);
    }
  }

  private async end(): Promise<void> {
    const { block, call } = this;
    if (block !== null) {
      await block.part.end();
      this.passDelta(block.index, block.type, block.restorer?.end() ?? '');
      this.block = null;
    }
    if (call !== null) {
      const json = await releasedArguments(this.reply, call.text, this.signal);
      this.call = null;
      this.pass({ ...call.start, content_block: { ...objectIn(call.start.content_block), input: {} } });
      this.pass({
        type: 'content_block_delta',
        index: call.index,
        delta: { type: 'input_json_delta', partial_json: json },
      });
    }
  }

  /** A message that is not streamed. */
  private async guardMessage(message: JsonObject): Promise<JsonObject> {
    const content: unknown[] = [];
    for (const block of Array.isArray(message.content) ? (message.content as unknown[]) : []) {
      content.push(isObject(block) ? await this.guardBlock(block) : block);
    }
    return { ...message, content };
  }

  private async guardBlock(block: JsonObject): Promise<JsonObject> {
    if (block.type === 'tool_use' || block.type === 'server_tool_use') {
      const input = JSON.parse(
        await releasedArguments(this.reply, JSON.stringify(block.input), this.signal),
      ) as unknown;
      return { ...block, input };
    }
    if (block.type !== 'text' && block.type !== 'thinking') {
      return block;
    }
    const { scope, masks, guards } = this.reply;
    const isSigned = block.type === 'thinking';
    let released = '';
    const part = guardPart(
      guards,
      { part: isSigned ? 'reasoning' : 'text', scope, masks, signal: this.signal, isWhole: true, isSigned },
      (pieces) => {
        for (const piece of pieces) {
          released += typeof piece === 'string' && !isSigned ? masks.restore(piece, 'answer') : shownText(piece);
        }
      },
    );
    const text = block[block.type];
    await part.take(typeof text === 'string' ? [text] : []);
    await part.end();
    await this.reply.saveMasks();
    return { ...block, [block.type]: released };
  }

  private passDelta(index: number, type: OpenBlock['type'], text: string): void {
    if (text !== '') {
      this.pass({ type: 'content_block_delta', index, delta: { type: `${type}_delta`, [type]: text } });
    }
  }

  private pass(event: JsonObject | null, text = eventText(event)): void {
    this.target.onEvent?.(text);
    const bytes = Buffer.from(text);
    if (event?.type === 'message') {
      this.meter.readMessage(bytes);
    } else {
      this.meter.readEvent(bytes);
    }
  }
}

function eventText(event: JsonObject | null): string {
  const data = JSON.stringify(event);
  return event?.type === 'message' ? data : `event: ${String(event?.type)}\ndata: ${data}\n\n`;
}

/** Reads what released events contain. */
function meterOf(target: GuardedEvents['target']): MessageMeter {
  let calls = 0;
  return new MessageMeter({
    onText: (text) => target.onText(text),
    onReasoning: (text) => target.onReasoning?.(text),
    onToolCall: (id, name, type) => {
      if (type === 'tool_use') {
        target.onToolCall?.(calls++, { id, name });
      }
    },
    onToolArguments: (text) => calls > 0 && target.onToolArguments?.(calls - 1, text),
    onUsage: () => undefined,
  });
}
