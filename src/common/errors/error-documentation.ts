import { DEFAULT_LANGUAGE } from '../i18n/language';
import { ApiError, type ApiErrorClass } from './api-error';
import { errorBody } from './error-body';

/** A failure that a route can answer: its class, or an instance where the route adds details of its own. */
export type DocumentedFailure = ApiErrorClass | ApiError;

/** OpenAPI's response object for failures of one status. */
export interface ErrorResponseObject {
  description: string;
  content: {
    'application/json': { schema: { $ref: string }; examples: Record<string, { value: object }> };
  };
}

/** The time of the failures in all examples. */
const EXAMPLE_TIME = new Date('2026-01-31T09:30:00.000Z');

/** Describes failures that share a status: a line for each code, and the body that a caller would get for each. */
export function errorResponse(failures: readonly DocumentedFailure[]): ErrorResponseObject {
  const examples: ErrorResponseObject['content']['application/json']['examples'] = {};
  for (const failure of failures) {
    const example = exampleOf(failure);
    const { code } = classOf(failure);
    // Two classes may share a code. The name of the second example then contains its details too.
    const name = code in examples ? `${code} (${Object.values(example.details).join(' ')})` : code;
    // Rendered when the document is made, because decorators run before the modules have declared their sentences.
    examples[name] = {
      get value() {
        return errorBody(example, DEFAULT_LANGUAGE, EXAMPLE_TIME);
      },
    };
  }
  return {
    description: failures
      .map(classOf)
      .map(({ code, summary }) => `\`${code}\`: ${summary}`)
      .join('\n\n'),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' }, examples } },
  };
}

/** The class that documents a failure. */
function classOf(failure: DocumentedFailure): ApiErrorClass {
  return failure instanceof ApiError ? (failure.constructor as ApiErrorClass) : failure;
}

/** The failure as it would be thrown. */
export function exampleOf(failure: DocumentedFailure): ApiError {
  if (failure instanceof ApiError) {
    return failure;
  }
  return 'example' in failure ? failure.example() : new failure();
}

/** The schema behind `#/components/schemas/ErrorBody`. */
export const ERROR_BODY_SCHEMA = {
  type: 'object',
  required: ['success', 'error', 'timestamp'],
  properties: {
    success: { type: 'boolean', enum: [false], description: 'Always false.', example: false },
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', description: 'Stable; decide by this.', example: 'VALIDATION_ERROR' },
        message: {
          type: 'string',
          description: "A sentence in the caller's language; show this.",
          example: '“email” is required.',
        },
        details: {
          type: 'object',
          description: 'Facts about the failure; for field faults field, reason and errors (all faults).',
          additionalProperties: true,
        },
        retry_after: {
          type: 'integer',
          description: 'Seconds until a repetition makes sense; with every 429 and 503, and in `Retry-After` too.',
          example: 30,
        },
      },
    },
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it went wrong, UTC.',
      example: '2026-01-31T09:30:00.000Z',
    },
  },
};
