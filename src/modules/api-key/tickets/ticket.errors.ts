import { ApiError } from '../../../common/errors/api-error';

/** The ticket is forged, for another resource, used or expired. The error does not distinguish these cases. */
export class TicketInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TICKET_INVALID';
  static readonly summary =
    'The ticket is not valid. It works for one request within a minute, for what it was made for: the replies of one conversation (POST /chat/{chat_id}/stream-ticket), or events (POST /events/ticket). Get a new one.';
}
