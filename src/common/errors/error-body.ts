import type { Language } from '../i18n/language';
import { translate } from '../i18n/translator';
import { validationMessage } from '../i18n/validation-message';
import { type ApiError } from './api-error';
import { InvalidParameterError, ValidationFailedError } from './validation.errors';

/** The only form of error bodies (specification §7). */
export interface ErrorBody {
  success: false;
  error: { code: string; message: string; details: Record<string, unknown>; retry_after?: number };
  timestamp: string;
}

/** Waiting time of a 503 that specifies none. */
const DEFAULT_RETRY_SECONDS = 5;

/**
 * Renders a failure as a body.
 *
 * @param language of the caller
 */
export function errorBody(error: ApiError, language: Language, at = new Date()): ErrorBody {
  const retryAfter = retryAfterOf(error);
  return {
    success: false,
    error: {
      code: error.code,
      message: errorMessage(error, language),
      details: error.details,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    },
    timestamp: at.toISOString(),
  };
}

/** Whole seconds after which a retry makes sense, for the body and for `Retry-After`. Every 503 has them. */
export function retryAfterOf({ status, retryAfterSeconds }: ApiError): number | undefined {
  const seconds = retryAfterSeconds ?? (status === 503 ? DEFAULT_RETRY_SECONDS : undefined);
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}

/** The message for people: that of the broken rule for a faulty field, otherwise that of the code. */
export function errorMessage(error: ApiError, language: Language): string {
  if (error instanceof ValidationFailedError || error instanceof InvalidParameterError) {
    return validationMessage(language, error.faults[0]);
  }
  if (error.sentence !== undefined) {
    return error.sentence;
  }
  return translate(language, error.messageKey, {
    ...scalars(error.details),
    retry_after: retryAfterOf(error),
    ...error.options.messageValues,
  });
}

function scalars(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => typeof value !== 'object'));
}

/** Names in the OpenAPI document. */
export const ERROR_NAMES = { body: 'ErrorBody', error: 'ErrorObject', code: 'ErrorCode' };

export const ERROR_OBJECT_SCHEMA = {
  type: 'object',
  description: 'The error.',
  required: ['code', 'message', 'details'],
  properties: {
    code: { $ref: `#/components/schemas/${ERROR_NAMES.code}` },
    message: {
      type: 'string',
      description: 'Text for display, in the language of the caller.',
      example: '“email” is required.',
    },
    // With `additionalProperties`, pages would show an invented member. With an example, they would hide the members of
    // a code.
    details: {
      type: 'object',
      description:
        'Details of the error. For invalid fields: `field`, `reason`, and `errors` with every invalid field.',
    },
    retry_after: {
      type: 'integer',
      description: 'Seconds to wait before retrying. Sent with every 429 and 503, also as `Retry-After`.',
      example: 30,
    },
  },
};

export const ERROR_BODY_SCHEMA = {
  type: 'object',
  required: ['success', 'error', 'timestamp'],
  properties: {
    success: { type: 'boolean', enum: [false], description: 'Always false.', example: false },
    error: { $ref: `#/components/schemas/${ERROR_NAMES.error}` },
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the error occurred (UTC).',
      example: '2026-01-31T09:30:00.000Z',
    },
  },
};
