import { ApiProperty } from '@nestjs/swagger';
import type { Language } from '../../../common/i18n/language';
import { FINISH_REASONS, type FinishReason, MESSAGE_STATUSES, type MessageStatus } from '../entities/message.entity';
import type { LiveReply, ReplyEnd } from '../reply/live-reply';
import { toReplyErrorDto } from '../reply/reply-failure';
import { ReplyErrorDto } from './reply-error.dto';
import { TokenUsageDto } from './token-usage.dto';

/** What a stream tells after the text: the token usage, and how the reply ended. */
export class ReplyTrailerDto extends TokenUsageDto {
  /** The reply. @example 2 */
  message_id: number;

  /** The message that it answers. @example 1 */
  user_message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** How the reply stands after the stream. @example "completed" */
  @ApiProperty({ enum: MESSAGE_STATUSES })
  status: MessageStatus;

  /** Why the reply ended; null when it was interrupted. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /** Null unless the reply failed. */
  error: ReplyErrorDto | null;

  /** The title that the conversation got from this exchange; else absent. @example "Trip to Lisbon" */
  title?: string;
}

const NOTHING_COUNTED = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  is_estimated: true,
  model: null,
};

export function toReplyTrailerDto(
  reply: Pick<LiveReply, 'messageId' | 'userMessageId' | 'chatId'>,
  end: ReplyEnd,
  language: Language,
): ReplyTrailerDto {
  return {
    ...(end.usage ?? NOTHING_COUNTED),
    message_id: reply.messageId,
    user_message_id: reply.userMessageId,
    chat_id: reply.chatId,
    status: end.status,
    finish_reason: end.finishReason,
    error: end.failure && toReplyErrorDto(end.failure, language),
    ...(end.title !== null && { title: end.title }),
  };
}
