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

/** What a caller is told to wait when a 503 does not know better. */
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

/** Whole seconds until a repetition makes sense, for the body and for `Retry-After`; every 503 says some. */
export function retryAfterOf({ status, retryAfterSeconds }: ApiError): number | undefined {
  const seconds = retryAfterSeconds ?? (status === 503 ? DEFAULT_RETRY_SECONDS : undefined);
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}

/** The sentence for a person: for a field's fault the sentence of its rule, otherwise the one of the code. */
export function errorMessage(error: ApiError, language: Language): string {
  if (error instanceof ValidationFailedError || error instanceof InvalidParameterError) {
    return validationMessage(language, error.faults[0]);
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
