import { ApiProperty } from '@nestjs/swagger';
import type { Language } from '../../../common/i18n/language';
import { TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import {
  citationsOf,
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
import { CitationDto, toCitationDto } from './citation.dto';
import { HasMessageParts, MESSAGE_PARTS, type MessagePartDto, shownParts } from './message-part.dto';
import { ReplyErrorDto, toReplyErrorDto } from './reply-error.dto';

/** The user's rating of a reply. */
export class FeedbackDto {
  /** The rating. @example "like" */
  @ApiProperty({ enum: FEEDBACK_RATINGS })
  rating: FeedbackRating;

  /** The reason; null: no reason. @example "Exactly what I needed." */
  comment: string | null;
}

/** A message. */
@HasMessageParts()
export class MessageDto {
  /**
   * The ID, which never changes. Do not sort by it: a regenerated reply takes the place of the earlier one. @example 2
   */
  id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The author: `user`, or `assistant` for replies. @example "assistant" */
  @ApiProperty({ enum: MESSAGE_ROLES })
  role: MessageRole;

  /** The text; for a running reply, the text so far. @example "Hello! What can I do for you?" */
  content: string;

  /**
   * The reasoning of the model, separate from the text. Only in assistant messages; null: no reasoning.
   * @example "A first visit, so the old town."
   */
  reasoning?: string | null;

  /** All parts in order, if the message has more than text. Null: `content` is complete. */
  @ApiProperty(MESSAGE_PARTS)
  parts: MessagePartDto[] | null;

  /**
   * `stopped`: by the user; `interrupted`: by a failure of the service. Both keep the text so far. @example "completed"
   */
  @ApiProperty({ enum: REPLY_STATUSES })
  status: ReplyStatus;

  /** Why the reply ended; null for running and interrupted replies and for user messages. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /**
   * The preceding message: for a reply, the message that it answers; null for the first. Messages of one role with the
   * same parent are versions of each other. @example 1
   */
  parent_id: number | null;

  /** Whether the message is on the current line; `branches=all` also returns the others. @example true */
  is_current: boolean;

  /** The model that answered; null for user messages and running replies. @example "gpt-4o-mini" */
  model: string | null;

  /** Only in assistant messages; null while the reply is running. */
  token_usage?: TokenUsageDto | null;

  /** The passages of documents that the text uses, in its order. Only in assistant messages. @example [] */
  citations?: CitationDto[];

  /** Why the reply failed; null otherwise. */
  error: ReplyErrorDto | null;

  /** The actions that the reply waits for. Only with `status: requires_action`. */
  actions?: ActionDto[];

  /** Null if the user has not rated the reply. */
  feedback: FeedbackDto | null;

  /** When the message was sent or the reply started. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When it last changed, because it ended or was rated. @example "2026-01-31T09:30:03.100Z" */
  updated_at: string;

  /** When the reply ended; null while it is running. @example "2026-01-31T09:30:03.100Z" */
  completed_at: string | null;

  /** Milliseconds from the start of the reply to its first token of text or reasoning; null: no token. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds from the start of the reply to its end; null while it is running. @example 3100 */
  duration_ms: number | null;
}

/**
 * @param language the language of an error message
 * @param actions the actions of several replies, including this one
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
    // JSON omits undefined members. Spreading optional members would cost half a microsecond per message.
    reasoning: isReply ? message.reasoning : undefined,
    token_usage: isReply ? usageOf(message) : undefined,
    citations: isReply ? citationsOf(message.parts).map(toCitationDto) : undefined,
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

/** @param actions the actions that these replies wait for */
export function toMessageDtos(
  messages: ReadMessage[],
  language: Language,
  actions: readonly ShownAction[],
): MessageDto[] {
  return messages.map((message) => toMessageDto(message, language, actions));
}

/** IDs of the replies that wait for a decision, for `ActionLists.ofMessages`. */
export function repliesThatWait(messages: readonly Pick<ReadMessage, 'id' | 'status'>[]): number[] {
  return messages.filter(({ status }) => status === 'requires_action').map(({ id }) => id);
}

function actionsOf({ id }: ReadMessage, actions: readonly ShownAction[]): ActionDto[] {
  return actions.filter(({ action }) => action.messageId === id && action.state === 'open').map(toActionDto);
}

/** While a reply is running, only the usage of its compaction is known. */
function usageOf({ status, tokenUsage }: ReadMessage): TokenUsageDto | null {
  return status === 'streaming' ? null : tokenUsage && toTokenUsageDto(tokenUsage);
}

export function toFeedbackDto({ feedbackRating, feedbackComment }: ReadMessage): FeedbackDto | null {
  return feedbackRating && { rating: feedbackRating, comment: feedbackComment };
}
