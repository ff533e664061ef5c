import { ApiProperty } from '@nestjs/swagger';
import { errorMessage } from '../../../common/errors/error-body';
import type { Language } from '../../../common/i18n/language';
import { REPLY_ERROR_CODES, replyError, type ReplyFailure } from '../../generation/generation.api';

/** Why a reply failed. */
export class ReplyErrorDto {
  /** The code, as in error responses. @example PROVIDER_TIMEOUT */
  @ApiProperty({ enum: REPLY_ERROR_CODES, enumName: 'ReplyErrorCode' })
  code: string;

  /** The error message, in the caller's language. @example "The AI model took too long to answer." */
  message: string;

  /** Whether a retry may succeed. @example true */
  retryable: boolean;
}

/** Converts a failure for messages and trailers. */
export function toReplyErrorDto(failure: ReplyFailure, language: Language): ReplyErrorDto {
  return { code: failure.code, message: errorMessage(replyError(failure), language), retryable: failure.retryable };
}
