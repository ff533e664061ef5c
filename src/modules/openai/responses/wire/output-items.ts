import type { CalledTool } from '../../../../integrations/llm/port/message-parts';
import { ReplyPassages, type ReplyStep } from '../../../generation/generation.api';
import { toObjectId } from '../../object-ids';
import { CustomInput } from '../../tools/custom-input';
import type { ItemChange, OutputView } from './output-view';
import { CALLERS_ONLY, giveUp, OwnCalls } from './own-calls';
import {
  type CustomCallItem,
  type FileCitation,
  type FunctionCallItem,
  type MessageItem,
  type OutputItem,
  type OutputText,
  outputText,
  type ReasoningItem,
  summaryText,
} from './response-item';
import { itemId } from './wire-ids';

/** A call with incomplete arguments. */
interface OpenCall {
  /** The index of its item. */
  index: number;
  /** Reads the input in the arguments of a custom tool; null for a function. */
  input: CustomInput | null;
}

/**
 * The output items of a reply, built step by step. Text and reasoning become separate items whenever the model switches
 * between them. Calls stay open until the end, because models may write several at once.
 */
export class OutputItems {
  readonly items: OutputItem[] = [];
  /** The index of the message or reasoning item that receives text; null: none. */
  private growing: number | null = null;
  /** By call number. */
  private readonly calls = new Map<number, OpenCall>();
  private readonly own: OwnCalls;
  private readonly passages = new ReplyPassages();
  private readonly hasSummaries: boolean;
  private readonly first: number;
  private readonly last: number;
  /** The number of steps so far. */
  private steps = 0;
  /** The number of items in earlier responses of the reply. */
  private before = 0;

  constructor(
    private readonly messageId: number,
    { hasSummaries = true, hasResults = false, originOf = CALLERS_ONLY, listed = [], part }: OutputView = {},
  ) {
    this.hasSummaries = hasSummaries;
    this.own = new OwnCalls(messageId, originOf, part === undefined, hasResults);
    this.items.push(...listed);
    this.first = part?.first ?? 0;
    this.last = part?.last?.step ?? Infinity;
  }

  static of(messageId: number, steps: readonly ReplyStep[], view: OutputView = {}): OutputItems {
    const items = new OutputItems(messageId, view);
    steps.forEach((step) => items.add(step));
    return items;
  }

  /** The items of this response. */
  get shown(): OutputItem[] {
    return this.items.slice(this.before);
  }

  /** The index of an item in this response. */
  placeOf(index: number): number {
    return index - this.before;
  }

  /** @returns the change in this response; null: none */
  add(step: ReplyStep): ItemChange | null {
    const number = this.steps++;
    if (number >= this.last) {
      return null;
    }
    if (number === this.first && number > 0) {
      this.cut();
    }
    const change = this.change(step);
    return number < this.first ? null : change;
  }

  private change(step: ReplyStep): ItemChange | null {
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
        return this.startOwn(step);
      case 'tool_result':
        return this.endOwn(step);
      case 'event':
        return null;
      case 'citation':
        return this.cite(step.number);
    }
  }

  /** Indexes of the items that no step has closed. */
  open(): number[] {
    return this.items.flatMap((item, index) => (isOpen(item) && index >= this.before ? [index] : []));
  }

  /** The remaining changes of the inputs of custom tools at the end of the steps. Call it before `close`. */
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

  /** Closes all open items. If the reply was cut off, they are incomplete. */
  close(status: 'completed' | 'incomplete'): void {
    this.finish();
    this.items.filter(isOpen).forEach((item) => {
      if (item.type === 'file_search_call') {
        item.status = 'incomplete';
      } else if (item.type === 'mcp_call') {
        giveUp(item, status === 'completed');
      } else {
        item.status = status;
      }
    });
  }

  /** Starts a new response: the following items belong to it. */
  private cut(): void {
    this.close('completed');
    this.growing = null;
    this.own.cut();
    this.before = this.items.length;
  }

  private grow(type: 'message' | 'reasoning', text: string, phase?: string): ItemChange {
    const current = this.growing === null ? undefined : this.items[this.growing];
    const isSame = current?.type === type && (current.type !== 'message' || current.phase === phase);
    if (this.growing !== null && isSame) {
      addText(current, text);
      return { closed: null, isNew: false, index: this.growing, delta: text };
    }
    const closed = this.closeGrowing();
    const index = this.push(this.newWords(type, phase));
    this.growing = index;
    addText(this.items[index] as MessageItem | ReasoningItem, text);
    return { closed, isNew: true, index, delta: text };
  }

  /** A passage that was removed has no annotation. */
  private cite(number: number): ItemChange | null {
    const passage = this.passages.find(number);
    if (typeof passage?.text !== 'string') {
      return null;
    }
    const current = this.growing === null ? undefined : this.items[this.growing];
    const change = current?.type === 'message' ? { ...NOTHING, index: this.growing ?? 0 } : this.grow('message', '');
    const [part] = (this.items[change.index] as MessageItem).content;
    const { text, annotations } = part as OutputText;
    const { file_id, filename } = passage;
    const annotation: FileCitation = {
      type: 'file_citation',
      file_id: toObjectId('file', file_id),
      filename,
      index: text.length,
    };
    annotations.push(annotation);
    return { ...change, annotation };
  }

  private startOwn(step: Extract<ReplyStep, { kind: 'tool_started' }>): ItemChange | null {
    const item = this.own.start(step);
    return item && this.opened(item, item.type === 'mcp_call' ? item.arguments : '');
  }

  private endOwn(step: Extract<ReplyStep, { kind: 'tool_result' }>): ItemChange | null {
    this.passages.add(step.passages ?? []);
    const ended = this.own.end(step);
    if (ended === null) {
      return null;
    }
    const { item, isNew } = ended;
    return isNew
      ? { ...this.opened(item, item.type === 'mcp_call' ? item.arguments : ''), isEnded: true }
      : { closed: null, isNew, index: this.items.indexOf(item), delta: '', isEnded: true };
  }

  private opened(item: OutputItem, delta: string): ItemChange {
    const closed = this.closeGrowing();
    return { closed, isNew: true, index: this.push(item), delta };
  }

  private beginCall(step: Extract<ReplyStep, { kind: 'tool_call' }>): ItemChange | null {
    if (this.own.begin(step)) {
      return null;
    }
    const { call, id, name, tool } = step;
    const closed = this.closeGrowing();
    const isCustom = tool?.type === 'custom';
    const index = this.push(newCall(this.messageId, this.calls.size, id, tool ?? { type: 'function', name }));
    this.calls.set(call, { index, input: isCustom ? new CustomInput() : null });
    return { closed, isNew: true, index, delta: '' };
  }

  private addArguments(call: number, text: string): ItemChange | null {
    const { index, input } = this.calls.get(call) ?? {};
    if (this.own.addArguments(call, text) || index === undefined) {
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
    const id = itemId.compaction(this.messageId, this.count('compaction'));
    return this.opened({ type: 'compaction', id, encrypted_content }, '');
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

  private newWords(type: 'message' | 'reasoning', phase: string | undefined): MessageItem | ReasoningItem {
    const index = this.count(type);
    return type === 'message'
      ? newMessage(this.messageId, index, phase)
      : newReasoning(this.messageId, index, this.hasSummaries);
  }

  private count(type: OutputItem['type']): number {
    return this.items.filter((item) => item.type === type).length;
  }

  private push(item: OutputItem): number {
    return this.items.push(item) - 1;
  }
}

/** A change of an item that exists and gets no text. */
const NOTHING = { closed: null, isNew: false, delta: '' } as const;

function isOpen(
  item: OutputItem,
): item is Exclude<OutputItem, { type: 'compaction' | 'mcp_approval_request' | 'mcp_list_tools' }> {
  return 'status' in item && item.status === 'in_progress';
}

/** @param index the number of the call in the reply */
function newCall(
  messageId: number,
  index: number,
  call_id: string,
  { type, name, namespace }: CalledTool,
): FunctionCallItem | CustomCallItem {
  const called = { status: 'in_progress' as const, call_id, name, ...(namespace !== undefined && { namespace }) };
  return type === 'custom'
    ? { type: 'custom_tool_call', id: itemId.customCall(messageId, index), ...called, input: '' }
    : { type: 'function_call', id: itemId.functionCall(messageId, index), ...called, arguments: '' };
}

/** @param index the number of the message in the reply */
function newMessage(messageId: number, index: number, phase: string | undefined): MessageItem {
  const id = itemId.message(messageId, index);
  const said = { role: 'assistant' as const, content: [outputText('')], ...(phase !== undefined && { phase }) };
  return { type: 'message', id, status: 'in_progress', ...said };
}

/** @param index the number of the reasoning item in the reply */
function newReasoning(messageId: number, index: number, hasSummaries: boolean): ReasoningItem {
  const id = itemId.reasoning(messageId, index);
  const content: ReasoningItem['content'] = [{ type: 'reasoning_text', text: '' }];
  const summary = hasSummaries ? [summaryText('')] : [];
  return { type: 'reasoning', id, status: 'in_progress', summary, content };
}

/** Both types have one part, the text. */
function addText(item: MessageItem | ReasoningItem, text: string): void {
  const part = item.content[0] as { text: string };
  part.text += text;
  if (item.type === 'reasoning' && item.summary[0] !== undefined) {
    // The same string, so that memory contains it once.
    item.summary[0].text = part.text;
  }
}
