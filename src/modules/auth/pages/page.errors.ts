import { ApiError } from '../../../common/errors/api-error';

/** No feature has this page. */
export class PageNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PAGE_NOT_FOUND';
  static readonly summary = 'No feature has this page. `GET /pages` lists all pages.';
}
