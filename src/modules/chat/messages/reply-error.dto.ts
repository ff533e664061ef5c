import { ApiProperty } from '@nestjs/swagger';
import { errorMessage } from '../../../common/errors/error-body';
import type { Language } from '../../../common/i18n/language';
import { REPLY_ERROR_CODES, replyError, type ReplyFailure } from '../../generation/generation.api';

/** Why a reply failed. */
export class ReplyErrorDto {
  /** As in error bodies. @example PROVIDER_TIMEOUT */
  @ApiProperty({ enum: REPLY_ERROR_CODES, enumName: 'ReplyErrorCode' })
  code: string;

  /** A sentence for people, in the caller's language. @example "The AI model took too long to answer." */
  message: string;

  /** Whether sending the message again may help. @example true */
  retryable: boolean;
}

/** The failure as messages and trailers show it. */
export function toReplyErrorDto(failure: ReplyFailure, language: Language): ReplyErrorDto {
  return { code: failure.code, message: errorMessage(replyError(failure), language), retryable: failure.retryable };
}
