import { ApiError } from '../../common/errors/api-error';

/** There is no such server. */
export class McpServerNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MCP_SERVER_NOT_FOUND';
  static readonly summary = 'No such server of tools. GET /admin/mcp_servers lists them.';
}

/** Another server has this label. */
export class McpServerExistsError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_SERVER_EXISTS';
  static readonly summary = 'Another server of tools has this label. Change that one, or choose another label.';
}

/** Agents use tools of the server. */
export class McpServerInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_SERVER_IN_USE';
  static readonly summary =
    'Agents list tools of the server, as details.count says. Switch it off, or delete it with force=true: then agents lose these tools.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['count'],
    properties: { count: { type: 'integer', description: 'Agents that list tools of the server.', example: 2 } },
  };

  static example(): McpServerInUseError {
    return new McpServerInUseError(2);
  }

  constructor(count: number) {
    super({ count });
  }
}

/** The server has no such tool. */
export class McpToolNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MCP_TOOL_NOT_FOUND';
  static readonly summary = 'The server has no such tool. GET /admin/mcp_servers/{id}/tools lists them.';
}

/** The tool has changed since the administrator read it. */
export class McpToolChangedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_TOOL_CHANGED';
  static readonly summary =
    'The pin is not that of the tool as it is now. Read the tool again, and look at its definition.';
}

/** The URL is blocked. */
export class McpUrlForbiddenError extends ApiError {
  static readonly status = 422;
  static readonly code = 'MCP_URL_FORBIDDEN';
  static readonly summary =
    'The address must not be called: it is not public, or not https. Inner servers stand in MCP_ALLOWED_HOSTS.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['field', 'reason'],
    properties: {
      field: { type: 'string', description: 'The field.', example: 'url' },
      reason: { type: 'string', description: 'The rule.', example: 'address_not_public' },
    },
  };

  static example(): McpUrlForbiddenError {
    return new McpUrlForbiddenError('address_not_public');
  }

  constructor(reason: string) {
    super({ field: 'url', reason });
  }
}

/** The user has no connection to the server. */
export class ConnectionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'CONNECTION_NOT_FOUND';
  static readonly summary =
    'There is no such connection. GET /user/connections lists the servers one can connect with.';
}

/** No flow has this state, or another browser started it. */
export class ConnectionStateInvalidError extends ApiError {
  static readonly status = 400;
  static readonly code = 'CONNECTION_STATE_INVALID';
  static readonly summary = 'No connection waits for this answer, or it was begun in another browser. Begin again.';
}

/** The user declined at the authorization server. */
export class ConnectionCancelledError extends ApiError {
  static readonly status = 400;
  static readonly code = 'CONNECTION_CANCELLED';
  static readonly summary = 'The person declined to connect.';
}

/** The reasons why a request to a server fails. */
export const MCP_FAULTS = [
  'timeout',
  'forbidden',
  'unreachable',
  'left_alone',
  'unauthorized',
  'authorization',
  'identity_provider',
  'refused',
  'failed',
  'too_large',
  'too_many_tools',
  'invalid',
] as const;

export type McpFault = (typeof MCP_FAULTS)[number];

/** The server does not respond correctly. */
export class McpServerError extends ApiError {
  static readonly status = 502;
  static readonly code = 'MCP_SERVER_ERROR';
  static readonly summary =
    'The server of tools failed, as details.reason says. POST /admin/mcp_servers/{id}/test tries it; the log has the cause.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        enum: MCP_FAULTS,
        description:
          'The kind of fault. `left_alone`: it failed so often that it is not asked just now. `identity_provider`: the company’s provider does not vouch for you there.',
        example: 'timeout',
      },
    },
  };

  static example(): McpServerError {
    return new McpServerError('timeout');
  }

  constructor(reason: McpFault) {
    // The caller logs the cause, without the server's response.
    super({ reason }, { isLogged: false });
  }
}
