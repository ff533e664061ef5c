import type { Language } from '../i18n/language';
import type { ApiError, DocumentedFailure } from './api-error';
import { ERROR_BODY_SCHEMA, ERROR_NAMES, ERROR_OBJECT_SCHEMA, errorBody } from './error-body';

/**
 * The form of an API's failures. The service has its own, `ENVELOPE`; each other API that a module implements has
 * another.
 */
export interface ErrorDialect {
  /** Whether the OpenAPI document includes the API. An API with its own description is not included. */
  readonly isDocumented: boolean;

  /** Names of the schemas in the OpenAPI document: of a body, of its member `error`, and of all codes. */
  readonly names: { body: string; error: string; code: string };

  /** The JSON Schemas of a body and of its member `error`. */
  readonly schemas: { body: object; error: object };

  /** The media type of bodies. */
  readonly contentType: string;

  /** The codes that a body can have, out of all codes of the service. */
  readonly codes: (all: string[]) => string[];

  /** Whether bodies have the `details` of failures. */
  readonly hasDetails: boolean;

  /**
   * Whether a 401 has the header `WWW-Authenticate`. False if the credential is a parameter, whose error clients then read
   * from the body. Absent: true.
   */
  readonly hasChallenge?: boolean;

  /** Whether bodies have the id of the request. Absent: they have not. */
  readonly namesRequest?: true;

  /** HTTP status of a failure. */
  status(error: ApiError): number;

  /** The failures that the documentation shows for one failure: several if the code depends on more than the class. */
  documented(failure: DocumentedFailure): readonly DocumentedFailure[];

  /** The value of `error.code` in the body. */
  code(error: ApiError): string;

  /**
   * @param path of the request; in the documentation with parameters in braces
   * @param at the time of the failure; default: now
   * @param requestId id of the request; in the documentation absent
   */
  body(error: ApiError, language: Language, path: string, at?: Date, requestId?: string): object;

  /** Headers in addition to those of all dialects. */
  headers(error: ApiError): Record<string, string>;
}

/** The form that the specification defines (§7). */
export const ENVELOPE = {
  isDocumented: true,
  names: ERROR_NAMES,
  schemas: { body: ERROR_BODY_SCHEMA, error: ERROR_OBJECT_SCHEMA },
  contentType: 'application/json',
  codes: (all) => all,
  hasDetails: true,
  status: ({ status }) => status,
  documented: (failure) => [failure],
  code: ({ code }) => code,
  body: (error, language, _path, at) => errorBody(error, language, at),
  headers: () => ({}),
} satisfies ErrorDialect;
