import { ApiProperty } from '@nestjs/swagger';
import type { Language } from '../../../../common/i18n/language';
import { NO_USAGE } from '../../../../common/token-usage';
import { TokenUsageDto, toTokenUsageDto } from '../../../../common/token-usage.dto';
import {
  FINISH_REASONS,
  type FinishReason,
  type LiveReply,
  REPLY_STATUSES,
  type ReplyEnd,
  type ReplyFacts,
  type ReplyStatus,
} from '../../../generation/generation.api';
import { ActionDto, toActionDto } from '../../messages/action.dto';
import { CitationDto, toCitationDto } from '../../messages/citation.dto';
import { ReplyErrorDto, toReplyErrorDto } from '../../messages/reply-error.dto';

/** The sender's remaining quota for today; null: no limit. */
export class QuotaLeftDto {
  /** Messages. @example 41 */
  messages: number | null;

  /** Tokens. @example 99832 */
  tokens: number | null;
}

/** The results of an exchange, so that a page needs no further request. */
export class ReplyFactsDto {
  /** When the reply started. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /**
   * When the reply ended, which is also the new `updated_at` and `last_message_at` of the conversation.
   * @example "2026-01-31T09:30:03.100Z"
   */
  completed_at: string;

  /** Milliseconds to the first token of text or reasoning; null: no token. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds to the end. @example 3100 */
  duration_ms: number;

  /** Messages on the current line of the conversation. @example 2 */
  message_count: number;

  /** Null if a new day has started since the request. */
  quota: QuotaLeftDto | null;
}

/** Follows the text of a stream: the token usage and the end of the reply. */
export class ReplyTrailerDto extends TokenUsageDto {
  /** The reply. @example 2 */
  message_id: number;

  /** The message that the reply answers. @example 1 */
  user_message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** State of the reply after the stream. @example "completed" */
  @ApiProperty({ enum: REPLY_STATUSES })
  status: ReplyStatus;

  /** Why the reply ended; null if it was interrupted. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /** Null unless the reply failed. */
  error: ReplyErrorDto | null;

  /** The passages of documents that the text uses, in its order; absent: none. */
  citations?: CitationDto[];

  /** The title that this exchange set; absent: the title is unchanged. @example "Trip to Lisbon" */
  title?: string;

  /** The actions that the reply waits for. Only with `status: requires_action`. */
  actions?: ActionDto[];

  /** Only with `stream_format=sse`; absent when the reply is replayed later. */
  facts?: ReplyFactsDto;
}

const NO_REPLY_USAGE = { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated: true, model: null };

export function toReplyTrailerDto(
  reply: Pick<LiveReply, 'messageId' | 'userMessageId' | 'chatId' | 'citations'>,
  end: ReplyEnd,
  language: Language,
): ReplyTrailerDto {
  const { citations } = reply;
  return {
    ...toTokenUsageDto(end.usage ?? NO_REPLY_USAGE),
    message_id: reply.messageId,
    user_message_id: reply.userMessageId,
    chat_id: reply.chatId,
    status: end.status,
    finish_reason: end.finishReason,
    error: end.failure && toReplyErrorDto(end.failure, language),
    ...(citations.length > 0 && { citations: citations.map(toCitationDto) }),
    ...(end.title !== null && { title: end.title }),
    ...(end.actions !== undefined && { actions: end.actions.map(toActionDto) }),
  };
}

export function toReplyFactsDto(facts: ReplyFacts): ReplyFactsDto {
  return {
    created_at: facts.startedAt.toISOString(),
    completed_at: facts.endedAt.toISOString(),
    first_token_ms: facts.firstTokenMs,
    duration_ms: facts.durationMs,
    message_count: facts.messageCount,
    quota: facts.quota,
  };
}
