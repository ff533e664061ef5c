import { ApiError } from '../../../common/errors/api-error';

/**
 * The link was used, was revoked, has expired, is for another address, or never existed. The response does not reveal
 * which.
 */
export class InvitationInvalidError extends ApiError {
  static readonly status = 403;
  static readonly code = 'INVITATION_INVALID';
  static readonly summary = 'The invitation is for another address, was used, or has expired. Ask for a new one.';
}

/** The invitation does not exist or was used. */
export class InvitationNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'INVITATION_NOT_FOUND';
  static readonly summary = 'There is no such invitation, or it was used or has expired.';
}
