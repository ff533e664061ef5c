import { ApiError } from '../../common/errors/api-error';
import { FieldError } from '../../common/errors/field-error';

/** No agent has this name or ID, or it is a provider's model and callers may not name these. */
export class ModelNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MODEL_NOT_FOUND';
  static readonly summary = 'There is no agent with this name or id. `GET /openai/v1/models` lists available agents.';

  static example(): ModelNotFoundError {
    return new ModelNotFoundError('gpt-unknown');
  }

  constructor(model: string) {
    super({ field: 'model' }, { messageValues: { model } });
  }
}

/** The service could not list the tools of an MCP server in the request. */
export class ServerToolsUnavailableError extends ApiError {
  static readonly status = 424;
  static readonly code = 'SERVER_TOOLS_UNAVAILABLE';
  static readonly summary = 'An MCP server in the request did not return its tools. `error.param` names it.';

  static example(): ServerToolsUnavailableError {
    return new ServerToolsUnavailableError('tools[0].server_url', 'weather');
  }

  constructor(field: string, label: string) {
    super({ field }, { messageValues: { label }, isLogged: false });
  }
}

/** The parameter requests something that this service does not support, and ignoring it would give a wrong answer. */
export class UnsupportedParameterError extends FieldError {
  static readonly status = 400;
  static readonly code = 'UNSUPPORTED_PARAMETER';
  static readonly summary = 'The value of the parameter is not supported. `error.param` names the parameter; omit it.';

  static example(): UnsupportedParameterError {
    return new UnsupportedParameterError('n');
  }
}
