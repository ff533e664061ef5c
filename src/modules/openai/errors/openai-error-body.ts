/** The body of an error response. */
export interface OpenAiErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}

/** Schema names in the OpenAPI document. */
export const OPENAI_ERROR_NAMES = { body: 'OpenAiErrorBody', error: 'OpenAiErrorObject', code: 'OpenAiErrorCode' };

export const OPENAI_ERROR_OBJECT_SCHEMA = {
  type: 'object',
  description: 'The error.',
  required: ['message', 'type', 'param', 'code'],
  properties: {
    message: {
      type: 'string',
      description: 'Text for display, in the language of the caller.',
      example: '“model” is required.',
    },
    type: {
      type: 'string',
      description: 'Type of the error.',
      enum: ['invalid_request_error', 'rate_limit_error', 'insufficient_quota', 'server_error'],
    },
    param: {
      type: 'string',
      nullable: true,
      description: 'The parameter that caused the error.',
      example: 'messages[0].content',
    },
    code: { $ref: `#/components/schemas/${OPENAI_ERROR_NAMES.code}` },
  },
};

export const OPENAI_ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: { error: { $ref: `#/components/schemas/${OPENAI_ERROR_NAMES.error}` } },
};
