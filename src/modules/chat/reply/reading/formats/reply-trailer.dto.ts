import { ApiProperty } from '@nestjs/swagger';
import type { Language } from '../../../../../common/i18n/language';
import { NO_USAGE } from '../../../../../common/token-usage';
import { TokenUsageDto, toTokenUsageDto } from '../../../../../common/token-usage.dto';
import {
  FINISH_REASONS,
  type FinishReason,
  MESSAGE_STATUSES,
  type MessageStatus,
} from '../../../conversations/message.entity';
import { ReplyErrorDto, toReplyErrorDto } from '../../../messages/reply-error.dto';
import type { LiveReply, ReplyEnd } from '../../live-reply';

/** Comes after the text of a stream: the token usage, and how the reply ended. */
export class ReplyTrailerDto extends TokenUsageDto {
  /** The reply. @example 2 */
  message_id: number;

  /** The message that it answers. @example 1 */
  user_message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** State of the reply after the stream. @example "completed" */
  @ApiProperty({ enum: MESSAGE_STATUSES })
  status: MessageStatus;

  /** Why the reply ended; null when it was interrupted. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /** Null unless the reply failed. */
  error: ReplyErrorDto | null;

  /** The title that this exchange gave the conversation; else absent. @example "Trip to Lisbon" */
  title?: string;
}

const NOTHING_COUNTED = { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated: true, model: null };

export function toReplyTrailerDto(
  reply: Pick<LiveReply, 'messageId' | 'userMessageId' | 'chatId'>,
  end: ReplyEnd,
  language: Language,
): ReplyTrailerDto {
  return {
    ...toTokenUsageDto(end.usage ?? NOTHING_COUNTED),
    message_id: reply.messageId,
    user_message_id: reply.userMessageId,
    chat_id: reply.chatId,
    status: end.status,
    finish_reason: end.finishReason,
    error: end.failure && toReplyErrorDto(end.failure, language),
    ...(end.title !== null && { title: end.title }),
  };
}
