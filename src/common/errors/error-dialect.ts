import type { Language } from '../i18n/language';
import type { ApiError } from './api-error';
import { ERROR_BODY_SCHEMA, errorBody } from './error-body';

/** How the failures of an API look. The service has its own, `ENVELOPE`; each other API that a module speaks has another. */
export interface ErrorDialect {
  /** The JSON Schema of a body, and its name in the OpenAPI document. */
  readonly schema: { name: string; value: object };

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
  schema: { name: 'ErrorBody', value: ERROR_BODY_SCHEMA },
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

/** The dialect of a path, with or without a query. */
export function errorDialectOf(path: string): ErrorDialect {
  return dialects.find(([paths]) => paths.test(path))?.[1] ?? ENVELOPE;
}

/** All dialects that the loaded modules speak. */
export function errorDialects(): ErrorDialect[] {
  return [ENVELOPE, ...dialects.map(([, dialect]) => dialect)];
}
