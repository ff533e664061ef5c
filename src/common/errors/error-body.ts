import type { Language } from '../i18n/language';
import { translate } from '../i18n/translator';
import { validationMessage } from '../i18n/validation-message';
import { type ApiError } from './api-error';
import { InvalidParameterError, ValidationFailedError } from './validation.errors';

/** The one body of every failure (specification §7). */
export interface ErrorBody {
  success: false;
  error: { code: string; message: string; details: Record<string, unknown>; retry_after?: number };
  timestamp: string;
}

/** Waiting time of a 503 that names no other. */
const DEFAULT_RETRY_SECONDS = 5;

/**
 * Renders a failure.
 *
 * @param language the caller's
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

/** Whole seconds until another attempt makes sense, for the body and for `Retry-After`. Every 503 has them. */
export function retryAfterOf({ status, retryAfterSeconds }: ApiError): number | undefined {
  const seconds = retryAfterSeconds ?? (status === 503 ? DEFAULT_RETRY_SECONDS : undefined);
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}

/**
 * The sentence for people: for a fault of a field the sentence of the broken rule, otherwise the sentence of the code.
 */
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
  description: 'What went wrong.',
  required: ['code', 'message', 'details'],
  properties: {
    code: { $ref: `#/components/schemas/${ERROR_NAMES.code}` },
    message: {
      type: 'string',
      description: "A sentence in the caller's language; show this.",
      example: '“email” is required.',
    },
    // With `additionalProperties` pages would show a made-up member, and with an example they would hide those of a code.
    details: {
      type: 'object',
      description: 'Facts about the failure; for field faults field, reason and errors (all faults).',
    },
    retry_after: {
      type: 'integer',
      description: 'Seconds until a repetition makes sense; with every 429 and 503, and in `Retry-After` too.',
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
      description: 'When it went wrong, UTC.',
      example: '2026-01-31T09:30:00.000Z',
    },
  },
};
