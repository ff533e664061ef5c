import { DEFAULT_LANGUAGE, type Language } from '../i18n/language';
import { CATALOGUE } from '../i18n/locales';
import type { ApiError } from './api-error';
import { ERROR_BODY_SCHEMA, ERROR_NAMES, ERROR_OBJECT_SCHEMA, errorBody } from './error-body';

/** How the failures of an API look. The service has its own, `ENVELOPE`; each other API that a module speaks has another. */
export interface ErrorDialect {
  /** Names of the schemas in the OpenAPI document: of a body, of its member `error`, and of all codes. */
  readonly names: { body: string; error: string; code: string };

  /** The JSON Schemas of a body and of its member `error`. */
  readonly schemas: { body: object; error: object };

  /** All codes that a body can have. */
  readonly codes: () => string[];

  /** Whether bodies have the `details` of failures. */
  readonly hasDetails: boolean;

  /** HTTP status of a failure. */
  status(error: ApiError): number;

  /** What `error.code` is in the body. */
  code(error: ApiError): string;

  /**
   * @param path of the request; in the documentation with parameters in braces
   * @param at the time of the failure; now by default
   */
  body(error: ApiError, language: Language, path: string, at?: Date): { error: { code: string; message: string } };

  /** Headers beside those that all dialects have. */
  headers(error: ApiError): Record<string, string>;
}

/** The form of the specification (§7). */
export const ENVELOPE: ErrorDialect = {
  names: ERROR_NAMES,
  schemas: { body: ERROR_BODY_SCHEMA, error: ERROR_OBJECT_SCHEMA },
  codes: errorCodes,
  hasDetails: true,
  status: ({ status }) => status,
  code: ({ code }) => code,
  body: (error, language, _path, at) => errorBody(error, language, at),
  headers: () => ({}),
};

const dialects: [path: RegExp, ErrorDialect][] = [];

/** @param prefix of the paths whose failures look so, as in `declareApiPrefix` */
export function declareErrorDialect(prefix: string, dialect: ErrorDialect): void {
  dialects.push([new RegExp(`^/${prefix}(?:[/?]|$)`, 'i'), dialect]);
}

/** The codes of all failures of the loaded modules: each has a sentence. */
export function errorCodes(): string[] {
  return Object.keys(CATALOGUE[DEFAULT_LANGUAGE].errors).sort();
}

/** The dialect of a path, with or without a query. */
export function errorDialectOf(path: string): ErrorDialect {
  return dialects.find(([paths]) => paths.test(path))?.[1] ?? ENVELOPE;
}

/** All dialects that the loaded modules speak. */
export function errorDialects(): ErrorDialect[] {
  return [ENVELOPE, ...dialects.map(([, dialect]) => dialect)];
}
