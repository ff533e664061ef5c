import { ApiError } from '../../common/errors/api-error';

/** No module and no MCP server has this tool. */
export class ToolNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'TOOL_NOT_FOUND';
  static readonly summary = 'There is no such tool. `GET /admin/tools` lists all tools.';
}

/** The operation needs the caller's own connection to an MCP server. */
export class ConnectionRequiredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'CONNECTION_REQUIRED';
  static readonly summary =
    'The tools of the server differ for each user. Connect to it first with ' +
    '`POST /user/connections/{label}/start`, using `details.label`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['label'],
    properties: { label: { type: 'string', description: 'Label of the server.', example: 'github' } },
  };

  static example(): ConnectionRequiredError {
    return new ConnectionRequiredError('github');
  }

  constructor(label: string) {
    super({ label });
  }
}
