/** The types of errors in Anthropic's API. */
export const ANTHROPIC_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
] as const;

export type AnthropicErrorType = (typeof ANTHROPIC_ERROR_TYPES)[number];

/** The body of an error response, and the data of an error event. */
export interface AnthropicErrorBody {
  type: 'error';
  error: {
    /** One of `ANTHROPIC_ERROR_TYPES`, or the provider's own type in a relayed error. */
    type: string;
    message: string;
    details?: Record<string, unknown>;
  };
  request_id: string | null;
}

/** Schema names in the OpenAPI document. */
export const ANTHROPIC_ERROR_NAMES = {
  body: 'AnthropicErrorBody',
  error: 'AnthropicErrorObject',
  code: 'AnthropicErrorCode',
};

export const ANTHROPIC_ERROR_OBJECT_SCHEMA = {
  type: 'object',
  description: 'The error.',
  required: ['type', 'message'],
  properties: {
    type: { type: 'string', description: 'Type of the error.', enum: ANTHROPIC_ERROR_TYPES },
    message: { type: 'string', description: 'Text for display.', example: 'model: claude-unknown' },
    details: { type: 'object', description: 'The code of the service in lower case (`error_code`), and its details.' },
  },
};

export const ANTHROPIC_ERROR_SCHEMA = {
  type: 'object',
  required: ['type', 'error', 'request_id'],
  properties: {
    type: { type: 'string', enum: ['error'] },
    error: { $ref: `#/components/schemas/${ANTHROPIC_ERROR_NAMES.error}` },
    request_id: { type: 'string', description: 'The id of the request, equal to the header `request-id`.' },
  },
};
