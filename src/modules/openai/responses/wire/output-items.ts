import type { ReplyStep } from '../../../chat/chat.api';
import type { FunctionCallItem, MessageItem, OutputItem, ReasoningItem, SummaryText } from './response-item';
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

/**
 * The output items of one reply, built step by step. Text and reasoning become items of their own whenever the model changes
 * from one to the other. Calls stay open until the end, because models may write several at once.
 */
export class OutputItems {
  readonly items: OutputItem[] = [];
  /** Index of the message or reasoning that grows; null: none does. */
  private growing: number | null = null;
  /** Item index of each call. */
  private readonly calls = new Map<number, number>();

  constructor(private readonly messageId: number) {}

  static of(messageId: number, steps: readonly ReplyStep[]): OutputItems {
    const items = new OutputItems(messageId);
    steps.forEach((step) => items.add(step));
    return items;
  }

  add(step: ReplyStep): ItemChange | null {
    switch (step.kind) {
      case 'text':
        return this.grow('message', step.text);
      case 'reasoning':
        return this.grow('reasoning', step.text);
      case 'tool_call':
        return this.beginCall(step.call, step.id, step.name);
      case 'tool_arguments':
        return this.addArguments(step.call, step.text);
    }
  }

  /** Indexes of the items that no step has closed. */
  open(): number[] {
    return this.items.flatMap(({ status }, index) => (status === 'in_progress' ? [index] : []));
  }

  /** Ends all open items; of a reply that was cut off they are incomplete. */
  close(status: 'completed' | 'incomplete'): void {
    this.items.forEach((item) => {
      if (item.status === 'in_progress') {
        item.status = status;
      }
    });
  }

  private grow(type: 'message' | 'reasoning', text: string): ItemChange {
    const current = this.growing === null ? undefined : this.items[this.growing];
    if (this.growing !== null && current?.type === type) {
      addText(current, text);
      return { closed: null, isNew: false, index: this.growing, delta: text };
    }
    const closed = this.closeGrowing();
    const index = this.push(type === 'message' ? this.newMessage() : this.newReasoning());
    this.growing = index;
    addText(this.items[index] as MessageItem | ReasoningItem, text);
    return { closed, isNew: true, index, delta: text };
  }

  private beginCall(call: number, id: string, name: string): ItemChange {
    const closed = this.closeGrowing();
    const item: FunctionCallItem = {
      type: 'function_call',
      id: itemId.functionCall(this.messageId, this.calls.size),
      status: 'in_progress',
      call_id: id,
      name,
      arguments: '',
    };
    const index = this.push(item);
    this.calls.set(call, index);
    return { closed, isNew: true, index, delta: '' };
  }

  private addArguments(call: number, text: string): ItemChange | null {
    const index = this.calls.get(call);
    if (index === undefined) {
      return null;
    }
    (this.items[index] as FunctionCallItem).arguments += text;
    return { closed: null, isNew: false, index, delta: text };
  }

  private closeGrowing(): number | null {
    const index = this.growing;
    const item = index === null ? undefined : this.items[index];
    if (item !== undefined) {
      item.status = 'completed';
    }
    this.growing = null;
    return index;
  }

  private newMessage(): MessageItem {
    const id = itemId.message(this.messageId, this.count('message'));
    return { type: 'message', id, status: 'in_progress', role: 'assistant', content: [outputText('')] };
  }

  private newReasoning(): ReasoningItem {
    const id = itemId.reasoning(this.messageId, this.count('reasoning'));
    const content: ReasoningItem['content'] = [{ type: 'reasoning_text', text: '' }];
    return { type: 'reasoning', id, status: 'in_progress', summary: [summaryText('')], content };
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
  if (item.type === 'reasoning') {
    // The same string, which is in memory once.
    (item.summary[0] as SummaryText).text = part.text;
  }
}
