import { ApiError } from '../../common/errors/api-error';

/** The mail server is unreachable, so no mail would arrive in time. */
export class EmailSendFailedError extends ApiError {
  static readonly status = 503;
  static readonly code = 'EMAIL_SEND_FAILED';
  static readonly summary = 'Emails cannot be sent right now. Try again after the time in `Retry-After`.';

  static example(): EmailSendFailedError {
    return new EmailSendFailedError(5);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }
}
