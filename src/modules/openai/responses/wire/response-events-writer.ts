import { toExactJson } from '../../../../common/http/exact-json';
import type { LiveReply, ReplyEnd, ReplyStep, StepWriter } from '../../../generation/generation.api';
import { OutputItems } from './output-items';
import type { ItemChange } from './output-view';
import type { EventNames, ResponseEvent, ResponseEventData } from './response-events';
import {
  type McpCallItem,
  type MessageItem,
  type OutputItem,
  type OutputText,
  outputText,
  type ReasoningItem,
  summaryText,
} from './response-item';
import {
  type ResponseHead,
  type ResponseResource,
  type ResponseState,
  RUNNING,
  toResponseResource,
} from './response-resource';
import { viewOf } from './response-view-of';

type ContentPart = OutputText | ReasoningItem['content'][number];

/** Returns the final state of a response. */
export type StateOfEnd = (end: ReplyEnd) => ResponseState;

/** Returns the final state for a reader who has lost the right to read the response. Null: the reader has not. */
export type StateOfRefusal = () => Promise<ResponseState | null>;

/** The event that ends a response. The specification has none for a cancelled one. */
const END_EVENTS = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  cancelled: 'response.incomplete',
  failed: 'response.failed',
} as const;

/**
 * Writes the events of Open Responses 2026-04-24. Their numbers depend only on the steps of the reply, so a client that
 * joins later, on any instance, gets the remaining events with the same numbers.
 */
export class ResponseEventsWriter implements StepWriter {
  readonly headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
  readonly ping = ': ping\n\n';
  private readonly output: OutputItems;
  private next = 0;
  private refused: ResponseState | null = null;

  /**
   * @param startingAfter number of the last event that the reader has; -1: none
   * @param names event names that replace those of the specification; members and numbers stay the same
   */
  constructor(
    private readonly head: ResponseHead,
    private readonly stateOf: StateOfEnd,
    private readonly startingAfter = -1,
    private readonly names: EventNames = {},
    private readonly stateOfRefusal: StateOfRefusal = () => Promise.resolve(null),
  ) {
    this.output = new OutputItems(head.messageId, viewOf(head));
  }

  begin(_reply: LiveReply): string {
    const response = toResponseResource(this.head, RUNNING, []);
    const begun = this.event('response.created', { response }) + this.event('response.in_progress', { response });
    return begun + this.output.items.map((_listed, index) => this.listed(index)).join('');
  }

  step(step: ReplyStep): string {
    const change = this.output.add(step);
    return change === null ? '' : this.closing(change.closed) + this.opening(change) + this.adding(change);
  }

  beforeEnd(_reply: LiveReply, { status }: ReplyEnd): Promise<void> | null {
    return status === 'stopped' ? this.stateOfRefusal().then((refused) => void (this.refused = refused)) : null;
  }

  end(_reply: LiveReply, end: ReplyEnd): string {
    const state = this.refused ?? this.stateOf(end);
    const rest = this.output.finish().map((change) => this.adding(change));
    const open = this.output.open();
    this.output.close(state.status === 'completed' ? 'completed' : 'incomplete');
    const closings = [...rest, ...open.map((index) => this.closing(index))].join('');
    if (end.status === 'interrupted') {
      // The writing process crashed before storing the last steps. A reader may have more events than are stored, and
      // must still receive the last one.
      this.next = Math.max(this.next, this.startingAfter + 1);
    }
    const type = END_EVENTS[state.status as keyof typeof END_EVENTS];
    return `${closings}${this.event(type, { response: this.snapshot(state) })}data: [DONE]\n\n`;
  }

  /** The tools to list are known before the model is called. */
  private listed(index: number): string {
    return (
      this.opening({ closed: null, isNew: true, index, delta: '' }) +
      this.event('response.mcp_list_tools.in_progress', this.target(index)) +
      this.event('response.mcp_list_tools.completed', this.target(index)) +
      this.closing(index)
    );
  }

  private snapshot(state: ResponseState): ResponseResource {
    return toResponseResource(this.head, state, this.output.shown);
  }

  private opening({ isNew, index }: ItemChange): string {
    if (!isNew) {
      return '';
    }
    const item = this.item(index);
    const { output_index } = this.target(index);
    const added = this.event('response.output_item.added', { output_index, item: emptyItem(item) });
    if (item.type !== 'message' && item.type !== 'reasoning') {
      return added;
    }
    const part = this.partEvent('response.content_part.added', index, emptyPart(partOf(item)));
    return added + part + (item.type === 'reasoning' ? this.summaryAdded(item, index) : '');
  }

  private adding({ isNew, index, delta, isEnded, annotation }: ItemChange): string {
    const item = this.item(index);
    const target = this.target(index);
    switch (item.type) {
      case 'message':
        if (annotation !== undefined) {
          const annotation_index = (item.content[0] as OutputText).annotations.indexOf(annotation);
          const added = { ...target, content_index: 0, annotation_index, annotation };
          return this.event('response.output_text.annotation.added', added);
        }
        return this.event('response.output_text.delta', { ...target, content_index: 0, delta, logprobs: [] });
      case 'reasoning':
        return (
          this.event('response.reasoning.delta', { ...target, content_index: 0, delta }) +
          (item.summary.length === 0
            ? ''
            : this.event('response.reasoning_summary_text.delta', { ...target, summary_index: 0, delta }))
        );
      case 'function_call':
        return delta === '' ? '' : this.event('response.function_call_arguments.delta', { ...target, delta });
      case 'custom_tool_call':
        return delta === '' ? '' : this.event('response.custom_tool_call_input.delta', { ...target, delta });
      case 'compaction':
      case 'mcp_approval_request':
      case 'mcp_list_tools':
        return this.closing(index);
      case 'file_search_call':
        return (isNew ? this.searchBegun(index) : '') + (isEnded ? this.closing(index) : '');
      case 'mcp_call':
        return (isNew ? this.mcpBegun(item, index) : '') + (isEnded ? this.closing(index) : '');
    }
  }

  /** The arguments are complete when the item starts. */
  private mcpBegun({ arguments: all }: McpCallItem, index: number): string {
    const target = this.target(index);
    return (
      this.event('response.mcp_call.in_progress', target) +
      this.event('response.mcp_call_arguments.delta', { ...target, delta: all }) +
      this.event('response.mcp_call_arguments.done', { ...target, arguments: all })
    );
  }

  private searchBegun(index: number): string {
    const target = this.target(index);
    const begun = this.event('response.file_search_call.in_progress', target);
    return begun + this.event('response.file_search_call.searching', target);
  }

  private closing(index: number | null): string {
    if (index === null) {
      return '';
    }
    const item = this.item(index);
    return (
      this.contentDone(item, index) +
      this.event('response.output_item.done', { output_index: this.output.placeOf(index), item })
    );
  }

  private contentDone(item: OutputItem, index: number): string {
    const target = this.target(index);
    switch (item.type) {
      case 'function_call': {
        const { name, arguments: whole } = item;
        return this.event('response.function_call_arguments.done', { ...target, name, arguments: whole });
      }
      case 'custom_tool_call':
        return this.event('response.custom_tool_call_input.done', { ...target, input: item.input });
      case 'compaction':
      case 'mcp_approval_request':
      case 'mcp_list_tools':
        return '';
      case 'file_search_call':
        return item.status === 'completed' ? this.event('response.file_search_call.completed', target) : '';
      case 'mcp_call':
        return this.event(`response.mcp_call.${item.status === 'completed' ? 'completed' : 'failed'}`, target);
      default:
        return this.textDone(item, index);
    }
  }

  private textDone(item: MessageItem | ReasoningItem, index: number): string {
    const target = this.target(index);
    const part = partOf(item);
    const ofPart = { ...target, content_index: 0, text: part.text };
    const textDone =
      item.type === 'message'
        ? this.event('response.output_text.done', { ...ofPart, logprobs: [] })
        : this.event('response.reasoning.done', ofPart);
    const partDone = this.partEvent('response.content_part.done', index, part);
    return textDone + partDone + (item.type === 'reasoning' ? this.summaryDone(item, index) : '');
  }

  private partEvent(
    type: 'response.content_part.added' | 'response.content_part.done',
    index: number,
    part: ContentPart,
  ): string {
    return this.event(type, { ...this.target(index), content_index: 0, part });
  }

  /** OpenAI's clients show reasoning only from these events. */
  private summaryAdded({ summary }: ReasoningItem, index: number): string {
    if (summary.length === 0) {
      return '';
    }
    const target = { ...this.target(index), summary_index: 0 };
    return this.event('response.reasoning_summary_part.added', { ...target, part: summaryText('') });
  }

  private summaryDone({ summary }: ReasoningItem, index: number): string {
    const target = { ...this.target(index), summary_index: 0 };
    const [part] = summary;
    if (part === undefined) {
      return '';
    }
    const { text } = part;
    return (
      this.event('response.reasoning_summary_text.done', { ...target, text }) +
      this.event('response.reasoning_summary_part.done', { ...target, part: summaryText(text) })
    );
  }

  private target(index: number): { item_id: string; output_index: number } {
    return { item_id: this.item(index).id, output_index: this.output.placeOf(index) };
  }

  private item(index: number): OutputItem {
    return this.output.items[index] as OutputItem;
  }

  /** Returns an empty string for an event that the reader already has. */
  private event<Type extends ResponseEvent['type']>(type: Type, data: ResponseEventData<Type>): string {
    const sequence_number = this.next++;
    const name = this.names[type] ?? type;
    return sequence_number <= this.startingAfter
      ? ''
      : `event: ${name}\ndata: ${toExactJson({ type: name, sequence_number, ...data })}\n\n`;
  }
}

/** The only part of a message or reasoning item. */
function partOf(item: MessageItem | ReasoningItem): ContentPart {
  return item.content[0] as ContentPart;
}

/** The part at its start. */
function emptyPart(part: ContentPart): ContentPart {
  return part.type === 'output_text' ? outputText('') : { ...part, text: '' };
}

/** The item at its start, without content. */
function emptyItem(item: OutputItem): OutputItem {
  switch (item.type) {
    case 'function_call':
      return { ...item, arguments: '' };
    case 'custom_tool_call':
      return { ...item, input: '' };
    case 'compaction':
      return { ...item, encrypted_content: '' };
    case 'mcp_approval_request':
      return item;
    case 'mcp_list_tools':
      return { ...item, tools: [] };
    case 'file_search_call':
      return { ...item, status: 'in_progress', results: null };
    case 'mcp_call':
      return { ...item, arguments: '', status: 'in_progress', output: null, error: null };
    case 'message':
      return { ...item, content: [] };
    case 'reasoning':
      return { ...item, summary: [], content: [] };
  }
}
