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
import type { ReplyEvent } from './reply-events';
import type { AnyRequest } from './request';
import type { Route } from './route';

/** A character has up to two UTF-16 units, and an offset is never within one. */
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

/** How much of a reply is here. What comes again after a lost connection is left out. */
export class ReplyProgress {
  messageId: number | undefined;
  userMessageId: number | undefined;
  private hasAnswer = false;
  private hasStarted = false;
  /** Characters of the text, and of the thoughts, that the caller has. */
  private received: number;
  private thought = 0;
  /** Who begins in the middle, as the answer to a decision does, does not know how much was thought before. */
  private hasAllThoughts: boolean;
  /** Whether this connection tells only the thoughts that are missing. */
  private asksForThoughts = false;
  /** Characters that this connection repeats. */
  private repeated = 0;
  private repeatedThoughts = 0;
  /** Calls, results and actions that the caller has. */
  private readonly told = new Set<string>();

  constructor(
    readonly chatId: number,
    offset = 0,
  ) {
    this.received = offset;
    this.hasAllThoughts = offset === 0;
  }

  /**
   * Whether the service has the message: from then on it is not sent again. Until there is text, a decision is, whose answer
   * begins at the same thought then: no join could say which.
   */
  get isAnswered(): boolean {
    return this.hasAnswer && (this.hasAllThoughts || this.received > 0);
  }

  /**
   * How to go on. It asks for one character that is here already, so that the end of a reply comes again even when no text
   * is missing: that may be what was lost.
   */
  rejoining(): { route: Route; request: AnyRequest } {
    // Without text, all thoughts are told again.
    const offset = Math.max(this.hasAllThoughts ? 0 : 1, this.received - 1);
    this.asksForThoughts = offset > 0 && this.hasAllThoughts;
    const query = { offset, ...(this.asksForThoughts && { reasoning_offset: this.thought }) };
    return { route: ROUTES.chat.join, request: { path: { chat_id: this.chatId }, query } };
  }

  /** Notes which reply it is; false for another reply, or none. */
  isAnsweredBy({ status, headers }: Response): boolean {
    const id = Number(headers.get('x-message-id')) || undefined;
    if (!this.hasAnswer) {
      this.hasAnswer = true;
      this.messageId = id;
      this.userMessageId = Number(headers.get('x-user-message-id')) || undefined;
      // The answer to a decision has only what is new, also when it is lost before its first event.
      const from = headers.get('x-stream-offset');
      if (from !== null) {
        this.received = Number(from);
        this.hasAllThoughts = false;
      }
    }
    return status !== 204 && id === this.messageId;
  }

  /** What is new in an event of the service. */
  *take(event: string | undefined, data: string): Generator<ReplyEvent, void, undefined> {
    if (event === 'message_start') yield* this.start(JSON.parse(data) as ReplyStartDto);
    if (event === 'reasoning') yield* this.takeThought((JSON.parse(data) as ReplyPieceDto).text);
    if (event === 'delta') yield* this.takeText((JSON.parse(data) as ReplyPieceDto).text);
    if (event === 'tool_call') yield* this.once({ type: event, ...(JSON.parse(data) as ToolCallEventDto) });
    if (event === 'tool_progress') yield { type: event, ...(JSON.parse(data) as ToolProgressEventDto) };
    if (event === 'tool_result') yield* this.once({ type: event, ...(JSON.parse(data) as ToolResultEventDto) });
    if (event === 'action_required') yield* this.once({ type: event, ...(JSON.parse(data) as ActionDto) });
    if (event === 'message_end') yield { type: 'message_end', ...(JSON.parse(data) as ReplyTrailerDto) };
  }

  /** What is missing of a reply that is over. */
  *finish(message: MessageDto): Generator<ReplyEvent, void, undefined> {
    const { id, chat_id, parent_id, status, finish_reason, error, content, token_usage } = message;
    this.repeated = this.received;
    yield* this.takeText(content);
    const ids = { message_id: id, user_message_id: parent_id ?? 0, chat_id };
    yield { type: 'message_end', ...(token_usage ?? NO_USAGE), ...ids, status, finish_reason, error };
  }

  private *start(start: ReplyStartDto): Generator<ReplyEvent> {
    if (!this.hasStarted) {
      this.hasStarted = true;
      // Much less: the service kept less than the caller has. A little less is the character that was asked for again.
      if (start.offset < this.received - LONGEST_CHARACTER) this.received = start.offset;
      // More: the answer to a decision has only what is new.
      if (start.offset > this.received) this.received = start.offset;
      yield { type: 'message_start', ...start, offset: this.received };
    }
    this.repeated = this.received - start.offset;
    this.repeatedThoughts = start.offset === 0 && !this.asksForThoughts ? this.thought : 0;
  }

  /** The service tells those at the offset that is asked for again. */
  private *once(event: Extract<ReplyEvent, { id: number | string }>): Generator<ReplyEvent> {
    const name = `${event.type} ${event.id}`;
    if (this.told.has(name)) return;
    this.told.add(name);
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
