import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { type ApiError, type ApiErrorClass } from '../../../common/errors/api-error';
import {
  InternalError,
  NotAcceptableError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
} from '../../../common/errors/common.errors';
import { errorMessage } from '../../../common/errors/error-body';
import type { ErrorDialect } from '../../../common/errors/error-dialect';
import { exampleOf } from '../../../common/errors/error-documentation';
import { DEFAULT_LANGUAGE } from '../../../common/i18n/language';
import { RateLimitExceededError } from '../../../common/rate-limit/rate-limit.errors';
import { InvalidRequestError } from '../device.errors';

/** The codes of errors that do not have a code of the standards in lower case. */
const CODES: Record<string, string> = {
  NOT_FOUND: 'not_found',
  RATE_LIMIT_EXCEEDED: 'slow_down',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  SERVICE_OVERLOADED: 'temporarily_unavailable',
};

const OWN_CODES = new Set([
  'AUTHORIZATION_PENDING',
  'SLOW_DOWN',
  'ACCESS_DENIED',
  'EXPIRED_TOKEN',
  'INVALID_GRANT',
  'INVALID_REQUEST',
  'UNSUPPORTED_GRANT_TYPE',
  'INVALID_SCOPE',
]);

/** Errors in the format of RFC 6749 §5.2. It has no 422, so such errors are 400. */
export const OAUTH_ERRORS = {
  isDocumented: false,
  names: { body: 'OAuthError', error: 'OAuthError', code: 'OAuthErrorCode' },
  schemas: { body: {}, error: {} },
  contentType: 'application/json',
  codes: (all) => all,
  hasDetails: false,
  hasChallenge: false,
  status: statusOf,
  documented: (failure) => [failure],
  code: codeOf,
  // In English, because the standard allows only ASCII (RFC 6749 §5.2).
  body: (error) => ({ error: codeOf(error), error_description: toAscii(errorMessage(error, DEFAULT_LANGUAGE)) }),
  headers: () => ({ Pragma: 'no-cache' }),
} satisfies ErrorDialect;

function statusOf({ status }: ApiError): number {
  return status === 422 ? 400 : status;
}

function codeOf({ code, status }: ApiError): string {
  if (OWN_CODES.has(code)) {
    return code.toLowerCase();
  }
  return CODES[code] ?? (status >= 500 ? 'server_error' : 'invalid_request');
}

function toAscii(message: string): string {
  return message
    .replace(/[“”"]/g, "'")
    .replace(/’/g, "'")
    .replace(/[^\x20-\x5b\x5d-\x7e]/g, '');
}

/** The failures that every route of this API can have. */
const COMMON: ApiErrorClass[] = [
  NotAcceptableError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  RateLimitExceededError,
  InternalError,
  ServiceUnavailableError,
];

/** Describes the failures of a route, in addition to those of all routes. */
export function OAuthErrors(...failures: ApiErrorClass[]): MethodDecorator {
  const all = [...failures, InvalidRequestError, ...COMMON];
  const statuses = [...new Set(all.map((failure) => statusOf(exampleOf(failure))))];
  return applyDecorators(
    ...statuses.map((status) => {
      const sharing = all.filter((failure) => statusOf(exampleOf(failure)) === status);
      const examples = new Map(sharing.map((failure) => [codeOf(exampleOf(failure)), exampleOf(failure)]));
      const codes = [...examples.keys()];
      return ApiResponse({
        status,
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: {
          'application/json': {
            schema: schemaOf(codes),
            /** Created with the document, because the texts of errors would load all languages at every start. */
            get examples() {
              return Object.fromEntries(
                [...examples].map(([code, error]) => [code, { value: OAUTH_ERRORS.body(error) }]),
              );
            },
          },
        },
      });
    }),
  );
}

function schemaOf(codes: string[]): object {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'string', enum: codes, description: 'Error code of RFC 6749 or RFC 8628.' },
      error_description: { type: 'string', description: 'What to do, for developers.' },
    },
  };
}
