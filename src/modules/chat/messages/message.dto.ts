import { ApiProperty } from '@nestjs/swagger';
import type { Language } from '../../../common/i18n/language';
import { TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import {
  FINISH_REASONS,
  type FinishReason,
  MESSAGE_ROLES,
  type MessageRole,
  REPLY_STATUSES,
  type ReplyStatus,
  type ShownAction,
} from '../../generation/generation.api';
import type { ReadMessage } from '../conversations/chat-queries';
import { FEEDBACK_RATINGS, type FeedbackRating } from '../conversations/message.entity';
import { ActionDto, toActionDto } from './action.dto';
import { HasMessageParts, MESSAGE_PARTS, type MessagePartDto, shownParts } from './message-part.dto';
import { ReplyErrorDto, toReplyErrorDto } from './reply-error.dto';

/** The user's judgement of a reply. */
export class FeedbackDto {
  /** What the user thinks of the reply. @example "like" */
  @ApiProperty({ enum: FEEDBACK_RATINGS })
  rating: FeedbackRating;

  /** Why, in the user's words; null: no reason given. @example "Exactly what I needed." */
  comment: string | null;
}

/** A message (specification §2.5). */
@HasMessageParts()
export class MessageDto {
  /** Never changes. It is no order: a regenerated reply stands where the earlier one stood. @example 2 */
  id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** Who wrote it: `user`, or `assistant` for replies. @example "assistant" */
  @ApiProperty({ enum: MESSAGE_ROLES })
  role: MessageRole;

  /** The text; of a running reply the text so far. @example "Hello! What can I do for you?" */
  content: string;

  /** What the model thought, not part of the text; assistant messages only, null: nothing. @example "A first visit, so the old town." */
  reasoning?: string | null;

  /** All its parts in their order, when it is more than text. Null: `content` is all. */
  @ApiProperty(MESSAGE_PARTS)
  parts: MessagePartDto[] | null;

  /** `stopped`: by the user; `interrupted`: the service went down; both keep the text so far. @example "completed" */
  @ApiProperty({ enum: REPLY_STATUSES })
  status: ReplyStatus;

  /** Why the reply ended; null while it runs, if it was interrupted, and for user messages. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /**
   * The message before it: of a reply, the one it answers; null for the first. Messages of one role with the same parent
   * are versions of each other. @example 1
   */
  parent_id: number | null;

  /** Whether it is on the current line; `branches=all` shows the others too. @example true */
  is_current: boolean;

  /** The model that answered; null for user messages and running replies. @example "gpt-4o-mini" */
  model: string | null;

  /** Assistant messages only; null while the reply runs. */
  token_usage?: TokenUsageDto | null;

  /** Why the reply failed; null otherwise. */
  error: ReplyErrorDto | null;

  /** What the reply waits for, with `status: requires_action`; else absent. */
  actions?: ActionDto[];

  /** Null until the user rates the reply. */
  feedback: FeedbackDto | null;

  /** When it was sent, or the reply began. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When it last changed: its end, or a rating. @example "2026-01-31T09:30:03.100Z" */
  updated_at: string;

  /** When the reply ended; null while it runs. @example "2026-01-31T09:30:03.100Z" */
  completed_at: string | null;

  /** Milliseconds from the start of the reply to its first token of text or reasoning; null: none. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds from the start of the reply to its end; null while it runs. @example 3100 */
  duration_ms: number | null;
}

/**
 * @param language the language of a failure's sentence
 * @param actions what replies wait for, this one among them
 */
export function toMessageDto(message: ReadMessage, language: Language, actions: readonly ShownAction[]): MessageDto {
  const isReply = message.role === 'assistant';
  return {
    id: message.id,
    chat_id: message.chatId,
    role: message.role,
    content: message.content,
    parts: shownParts(message.parts),
    status: message.status,
    finish_reason: message.finishReason,
    parent_id: message.parentId,
    is_current: message.isCurrent,
    model: message.model,
    // Undefined members do not go into JSON. Members that are spread in would cost half a microsecond for each message.
    reasoning: isReply ? message.reasoning : undefined,
    token_usage: isReply ? usageOf(message) : undefined,
    error: message.failure && toReplyErrorDto(message.failure, language),
    actions: message.status === 'requires_action' ? actionsOf(message, actions) : undefined,
    feedback: toFeedbackDto(message),
    created_at: message.createdAt.toISOString(),
    updated_at: message.updatedAt.toISOString(),
    completed_at: message.completedAt?.toISOString() ?? null,
    first_token_ms: message.firstTokenMs,
    duration_ms: message.durationMs,
  };
}

/** @param actions what the replies among them wait for */
export function toMessageDtos(
  messages: ReadMessage[],
  language: Language,
  actions: readonly ShownAction[],
): MessageDto[] {
  return messages.map((message) => toMessageDto(message, language, actions));
}

/** The ids of those that wait for somebody, for `ActionLists.ofMessages`. */
export function repliesThatWait(messages: readonly Pick<ReadMessage, 'id' | 'status'>[]): number[] {
  return messages.filter(({ status }) => status === 'requires_action').map(({ id }) => id);
}

function actionsOf({ id }: ReadMessage, actions: readonly ShownAction[]): ActionDto[] {
  return actions.filter(({ action }) => action.messageId === id && action.state === 'open').map(toActionDto);
}

/** While a reply runs, only what it cost to shorten its conversation is known. */
function usageOf({ status, tokenUsage }: ReadMessage): TokenUsageDto | null {
  return status === 'streaming' ? null : tokenUsage && toTokenUsageDto(tokenUsage);
}

export function toFeedbackDto({ feedbackRating, feedbackComment }: ReadMessage): FeedbackDto | null {
  return feedbackRating && { rating: feedbackRating, comment: feedbackComment };
}
