import { ApiError } from '../../common/errors/api-error';

/** There is no such server. */
export class McpServerNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MCP_SERVER_NOT_FOUND';
  static readonly summary = 'There is no such MCP server. `GET /admin/mcp_servers` lists all of them.';
}

/** Another server has this label. */
export class McpServerExistsError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_SERVER_EXISTS';
  static readonly summary = 'Another MCP server has this label. Change that server, or choose another label.';
}

/** Agents use tools of the server. */
export class McpServerInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_SERVER_IN_USE';
  static readonly summary =
    'Agents use tools of the server; `details.count` is their number. Disable the server, or delete it with ' +
    '`force=true` to remove its tools from these agents.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['count'],
    properties: { count: { type: 'integer', description: 'Agents that use tools of the server.', example: 2 } },
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
  static readonly summary = 'The server has no such tool. `GET /admin/mcp_servers/{id}/tools` lists its tools.';
}

/** The tool has changed since the administrator read it. */
export class McpToolChangedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MCP_TOOL_CHANGED';
  static readonly summary = 'The pin does not match the current tool. Read the tool again and check its definition.';
}

/** The URL is blocked. */
export class McpUrlForbiddenError extends ApiError {
  static readonly status = 422;
  static readonly code = 'MCP_URL_FORBIDDEN';
  static readonly summary =
    'The address is blocked because it is not public or not HTTPS. Add internal hosts to the setting ' +
    '`mcp_allowed_hosts` or to `MCP_ALLOWED_HOSTS`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['field', 'reason'],
    properties: {
      field: { type: 'string', description: 'Name of the field.', example: 'url' },
      reason: { type: 'string', description: 'The rule that the field breaks.', example: 'address_not_public' },
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
    'There is no such connection. `GET /user/connections` lists the servers that you can connect to.';
}

/** No flow has this state, or another browser started it. */
export class ConnectionStateInvalidError extends ApiError {
  static readonly status = 400;
  static readonly code = 'CONNECTION_STATE_INVALID';
  static readonly summary = 'No connection is pending, or it was started in another browser. Start again.';
}

/** The user declined at the authorization server. */
export class ConnectionCancelledError extends ApiError {
  static readonly status = 400;
  static readonly code = 'CONNECTION_CANCELLED';
  static readonly summary = 'The user declined the connection.';
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
    'The MCP server failed, as `details.reason` says. Test it with `POST /admin/mcp_servers/{id}/test`; the ' +
    'log has the cause.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        enum: MCP_FAULTS,
        description:
          'The kind of failure. `left_alone`: the server failed so often that it is not called for now. ' +
          '`identity_provider`: the identity provider of the organization does not vouch for you at the ' +
          'server.',
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
