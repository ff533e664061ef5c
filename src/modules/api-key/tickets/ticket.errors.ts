import { ApiError } from '../../../common/errors/api-error';

/** The ticket is forged, for another resource, used or expired. The error does not distinguish these cases. */
export class TicketInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TICKET_INVALID';
  static readonly summary =
    'The ticket is invalid: it works for one request within a minute, for one purpose. Get a new one from ' +
    '`POST /chat/{chat_id}/stream-ticket` or `POST /events/ticket`.';
}
