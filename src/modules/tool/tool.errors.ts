import { ApiError } from '../../common/errors/api-error';

/** No module and no server has such a tool. */
export class ToolNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'TOOL_NOT_FOUND';
  static readonly summary = 'No such tool. GET /admin/tools lists them.';
}
