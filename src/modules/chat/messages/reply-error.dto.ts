import { errorMessage } from '../../../common/errors/error-body';
import type { Language } from '../../../common/i18n/language';
import type { MessageFailure } from '../conversations/message.entity';
import { replyError } from './reply-failure';

/** Why a reply failed. */
export class ReplyErrorDto {
  /** As in error bodies: `PROVIDER_…`, `SERVICE_UNAVAILABLE` or `INTERNAL_ERROR`. @example PROVIDER_TIMEOUT */
  code: string;

  /** A sentence for people, in the caller's language. @example "The AI model took too long to answer." */
  message: string;

  /** Whether sending the message again may help. @example true */
  retryable: boolean;
}

/** The failure as messages and trailers show it. */
export function toReplyErrorDto(failure: MessageFailure, language: Language): ReplyErrorDto {
  return { code: failure.code, message: errorMessage(replyError(failure), language), retryable: failure.retryable };
}
