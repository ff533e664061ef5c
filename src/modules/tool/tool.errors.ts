import { ApiError } from '../../common/errors/api-error';

/** No module and no MCP server has this tool. */
export class ToolNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'TOOL_NOT_FOUND';
  static readonly summary = 'No such tool. GET /admin/tools lists them.';
}

/** The operation needs the caller's own connection to an MCP server. */
export class ConnectionRequiredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'CONNECTION_REQUIRED';
  static readonly summary =
    'The server shows each user its own. Connect with it first: POST /user/connections/{label}/start, with details.label.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['label'],
    properties: { label: { type: 'string', description: 'The server.', example: 'github' } },
  };

  static example(): ConnectionRequiredError {
    return new ConnectionRequiredError('github');
  }

  constructor(label: string) {
    super({ label });
  }
}
