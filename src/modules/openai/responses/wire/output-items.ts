import type { CalledTool } from '../../../../integrations/llm/port/message-parts';
import type { ReplyStep } from '../../../generation/generation.api';
import { CustomInput } from '../../tools/custom-input';
import type { CustomCallItem, FunctionCallItem, MessageItem, OutputItem, ReasoningItem } from './response-item';
import { outputText, summaryText } from './response-item';
import { itemId } from './wire-ids';

/** What one step did to the items: it may close one, open another, and it adds a piece to one. */
export interface ItemChange {
  /** Index of the item that the step ended; null: none. */
  closed: number | null;
  /** Whether the step began the item `index`. */
  isNew: boolean;
  index: number;
  /** What was added; empty for the beginning of a call. */
  delta: string;
}

/** A call whose arguments still arrive. */
interface OpenCall {
  /** Index of its item. */
  index: number;
  /** Reads the text in the arguments of a custom tool; null: of a function. */
  input: CustomInput | null;
}

/**
 * The output items of one reply, built step by step. Text and reasoning become items of their own whenever the model changes
 * from one to the other. Calls stay open until the end, because models may write several at once.
 */
export class OutputItems {
  readonly items: OutputItem[] = [];
  /** Index of the message or reasoning that grows; null: none does. */
  private growing: number | null = null;
  /** By the number of the call. */
  private readonly calls = new Map<number, OpenCall>();

  /** @param hasSummaries whether reasoning has its text as a summary too */
  constructor(
    private readonly messageId: number,
    private readonly hasSummaries: boolean,
  ) {}

  static of(messageId: number, steps: readonly ReplyStep[], hasSummaries = true): OutputItems {
    const items = new OutputItems(messageId, hasSummaries);
    steps.forEach((step) => items.add(step));
    return items;
  }

  add(step: ReplyStep): ItemChange | null {
    switch (step.kind) {
      case 'text':
        return this.grow('message', step.text, step.phase);
      case 'reasoning':
        return this.grow('reasoning', step.text);
      case 'tool_call':
        return this.beginCall(step);
      case 'tool_arguments':
        return this.addArguments(step.call, step.text);
      case 'compaction':
        return this.addCompaction(step.encrypted_content);
      case 'tool_started':
      case 'tool_result':
        return null;
    }
  }

  /** Indexes of the items that no step has closed. */
  open(): number[] {
    return this.items.flatMap((item, index) => ('status' in item && item.status === 'in_progress' ? [index] : []));
  }

  /** What the inputs of custom tools still get when no more comes. Call it before `close`. */
  finish(): ItemChange[] {
    return [...this.calls.values()].flatMap(({ index, input }) => {
      const delta = input?.end() ?? '';
      if (delta === '') {
        return [];
      }
      (this.items[index] as CustomCallItem).input += delta;
      return [{ closed: null, isNew: false, index, delta }];
    });
  }

  /** Ends all open items; of a reply that was cut off they are incomplete. */
  close(status: 'completed' | 'incomplete'): void {
    this.finish();
    this.items.forEach((item) => {
      if ('status' in item && item.status === 'in_progress') {
        item.status = status;
      }
    });
  }

  private grow(type: 'message' | 'reasoning', text: string, phase?: string): ItemChange {
    const current = this.growing === null ? undefined : this.items[this.growing];
    const isSame = current?.type === type && (current.type !== 'message' || current.phase === phase);
    if (this.growing !== null && isSame) {
      addText(current, text);
      return { closed: null, isNew: false, index: this.growing, delta: text };
    }
    const closed = this.closeGrowing();
    const index = this.push(type === 'message' ? this.newMessage(phase) : this.newReasoning());
    this.growing = index;
    addText(this.items[index] as MessageItem | ReasoningItem, text);
    return { closed, isNew: true, index, delta: text };
  }

  private beginCall({ call, id, name, tool }: Extract<ReplyStep, { kind: 'tool_call' }>): ItemChange {
    const closed = this.closeGrowing();
    const isCustom = tool?.type === 'custom';
    const index = this.push(this.newCall(id, tool ?? { type: 'function', name }));
    this.calls.set(call, { index, input: isCustom ? new CustomInput() : null });
    return { closed, isNew: true, index, delta: '' };
  }

  private addArguments(call: number, text: string): ItemChange | null {
    const { index, input } = this.calls.get(call) ?? {};
    if (index === undefined) {
      return null;
    }
    const item = this.items[index] as FunctionCallItem | CustomCallItem;
    const delta = input?.add(text) ?? text;
    if (item.type === 'custom_tool_call') {
      item.input += delta;
    } else {
      item.arguments += delta;
    }
    return delta === '' ? null : { closed: null, isNew: false, index, delta };
  }

  private addCompaction(encrypted_content: string): ItemChange {
    const closed = this.closeGrowing();
    const id = itemId.compaction(this.messageId, this.count('compaction'));
    const index = this.push({ type: 'compaction', id, encrypted_content });
    return { closed, isNew: true, index, delta: '' };
  }

  private closeGrowing(): number | null {
    const index = this.growing;
    const item = index === null ? undefined : this.items[index];
    if (item !== undefined && 'status' in item) {
      item.status = 'completed';
    }
    this.growing = null;
    return index;
  }

  private newCall(call_id: string, { type, name, namespace }: CalledTool): FunctionCallItem | CustomCallItem {
    const called = { status: 'in_progress' as const, call_id, name, ...(namespace !== undefined && { namespace }) };
    const [messageId, count] = [this.messageId, this.calls.size];
    return type === 'custom'
      ? { type: 'custom_tool_call', id: itemId.customCall(messageId, count), ...called, input: '' }
      : { type: 'function_call', id: itemId.functionCall(messageId, count), ...called, arguments: '' };
  }

  private newMessage(phase: string | undefined): MessageItem {
    const id = itemId.message(this.messageId, this.count('message'));
    const said = { role: 'assistant' as const, content: [outputText('')], ...(phase !== undefined && { phase }) };
    return { type: 'message', id, status: 'in_progress', ...said };
  }

  private newReasoning(): ReasoningItem {
    const id = itemId.reasoning(this.messageId, this.count('reasoning'));
    const content: ReasoningItem['content'] = [{ type: 'reasoning_text', text: '' }];
    const summary = this.hasSummaries ? [summaryText('')] : [];
    return { type: 'reasoning', id, status: 'in_progress', summary, content };
  }

  private count(type: OutputItem['type']): number {
    return this.items.filter((item) => item.type === type).length;
  }

  private push(item: OutputItem): number {
    return this.items.push(item) - 1;
  }
}

/** Both kinds have one part, the text. */
function addText(item: MessageItem | ReasoningItem, text: string): void {
  const part = item.content[0] as { text: string };
  part.text += text;
  if (item.type === 'reasoning' && item.summary[0] !== undefined) {
    // The same string, which is in memory once.
    item.summary[0].text = part.text;
  }
}
