import { ApiError } from '../../common/errors/api-error';

/** The link does not exist, or has ended. The error does not distinguish these cases. */
export class ShareNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'SHARE_NOT_FOUND';
  static readonly summary =
    'There is no such shared conversation, or it is no longer shared. Ask its owner for a new link.';
}
