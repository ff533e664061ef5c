import { ROUTES } from './generated/methods';
import type {
  ActionDto,
  MessageDto,
  ReplyPieceDto,
  ReplyStartDto,
  ReplyTrailerDto,
  ToolCallEventDto,
  ToolProgressEventDto,
  ToolResultEventDto,
} from './generated/types';
import type { Citation, ReplyEvent } from './reply-events';
import type { AnyRequest } from './request';
import type { Route } from './route';

/** A character has up to two UTF-16 units, and an offset never splits a character. */
const LONGEST_CHARACTER = 2;

const NO_USAGE = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  is_estimated: true,
  model: null,
};

/** Tracks which part of a reply has been received. Data that is repeated after a lost connection is dropped. */
export class ReplyProgress {
  messageId: number | undefined;
  userMessageId: number | undefined;
  private hasAnswer = false;
  private hasStarted = false;
  /** Length of the text, and of the reasoning, that the caller has. */
  private received: number;
  private thought = 0;
  /**
   * False if this reader started in the middle, as after a decision: then the length of the earlier reasoning is
   * unknown.
   */
  private hasAllThoughts: boolean;
  /** Whether this connection sends only the missing reasoning. */
  private asksForThoughts = false;
  /** Length of the text that this connection repeats. */
  private repeated = 0;
  private repeatedThoughts = 0;
  /** Calls, results and actions, which the service may repeat. */
  private readonly delivered = new Set<string>();

  constructor(
    readonly chatId: number,
    offset = 0,
  ) {
    this.received = offset;
    this.hasAllThoughts = offset === 0;
  }

  /**
   * Whether the service has the message, so that it must not be sent again. A decision is repeated until there is text,
   * because its response then starts at the same reasoning, which a join could not specify.
   */
  get isAnswered(): boolean {
    return this.hasAnswer && (this.hasAllThoughts || this.received > 0);
  }

  /**
   * Builds the request that resumes the reply. It repeats one known character, because without missing text the service
   * would not send the end of the reply again, which may have been lost.
   */
  rejoining(): { route: Route; request: AnyRequest } {
    // Without text, the service repeats all reasoning.
    const offset = Math.max(this.hasAllThoughts ? 0 : 1, this.received - 1);
    this.asksForThoughts = offset > 0 && this.hasAllThoughts;
    const query = { offset, ...(this.asksForThoughts && { reasoning_offset: this.thought }) };
    return { route: ROUTES.chat.join, request: { path: { chat_id: this.chatId }, query } };
  }

  /** Stores which reply the response belongs to. Returns false if it is another reply or none. */
  isAnsweredBy({ status, headers }: Response): boolean {
    const id = Number(headers.get('x-message-id')) || undefined;
    if (!this.hasAnswer) {
      this.hasAnswer = true;
      this.messageId = id;
      this.userMessageId = Number(headers.get('x-user-message-id')) || undefined;
      // The response to a decision contains only new data, even if the connection is lost before its first event.
      const from = headers.get('x-stream-offset');
      if (from !== null) {
        this.received = Number(from);
        this.hasAllThoughts = false;
      }
    }
    return status !== 204 && id === this.messageId;
  }

  /** Yields the new part of an event. */
  *take(event: string | undefined, data: string): Generator<ReplyEvent, void, undefined> {
    if (event === 'message_start') yield* this.start(JSON.parse(data) as ReplyStartDto);
    if (event === 'reasoning') yield* this.takeThought((JSON.parse(data) as ReplyPieceDto).text);
    if (event === 'delta') yield* this.takeText((JSON.parse(data) as ReplyPieceDto).text);
    if (event === 'tool_call') yield* this.once({ type: event, ...(JSON.parse(data) as ToolCallEventDto) });
    if (event === 'tool_progress') yield { type: event, ...(JSON.parse(data) as ToolProgressEventDto) };
    if (event === 'tool_result') yield* this.once({ type: event, ...(JSON.parse(data) as ToolResultEventDto) });
    if (event === 'citation') yield* this.once({ type: event, ...(JSON.parse(data) as Citation) }, data);
    if (event === 'action_required') yield* this.once({ type: event, ...(JSON.parse(data) as ActionDto) });
    if (event === 'message_end') yield { type: 'message_end', ...(JSON.parse(data) as ReplyTrailerDto) };
  }

  /** Yields the missing part of a completed reply. */
  *finish(message: MessageDto): Generator<ReplyEvent, void, undefined> {
    const { id, chat_id, parent_id, status, finish_reason, error, content, token_usage, citations } = message;
    this.repeated = this.received;
    yield* this.takeText(content);
    const ids = { message_id: id, user_message_id: parent_id ?? 0, chat_id };
    yield { type: 'message_end', ...(token_usage ?? NO_USAGE), ...ids, status, finish_reason, error, citations };
  }

  private *start(start: ReplyStartDto): Generator<ReplyEvent> {
    if (!this.hasStarted) {
      this.hasStarted = true;
      // A much smaller offset: the service stored less than the caller has. A slightly smaller one is due to the
      // repeated character.
      if (start.offset < this.received - LONGEST_CHARACTER) this.received = start.offset;
      // A larger offset: the response to a decision contains only new data.
      if (start.offset > this.received) this.received = start.offset;
      yield { type: 'message_start', ...start, offset: this.received };
    }
    this.repeated = this.received - start.offset;
    this.repeatedThoughts = start.offset === 0 && !this.asksForThoughts ? this.thought : 0;
  }

  /** The service repeats the events at the requested offset. */
  private *once<Event extends ReplyEvent>(
    event: Event,
    id: number | string = (event as Event & { id: number | string }).id,
  ): Generator<ReplyEvent> {
    const name = `${event.type} ${id}`;
    if (this.delivered.has(name)) return;
    this.delivered.add(name);
    yield event;
  }

  private *takeThought(text: string): Generator<ReplyEvent> {
    const fresh = text.slice(this.repeatedThoughts);
    this.repeatedThoughts -= text.length - fresh.length;
    this.thought += fresh.length;
    if (fresh !== '') yield { type: 'reasoning', text: fresh };
  }

  private *takeText(text: string): Generator<ReplyEvent> {
    const fresh = text.slice(this.repeated);
    this.repeated -= text.length - fresh.length;
    this.received += fresh.length;
    if (fresh !== '') yield { type: 'delta', text: fresh, offset: this.received };
  }
}
