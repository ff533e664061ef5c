import { DEFAULT_LANGUAGE } from '../i18n/language';
import { ApiError, type ApiErrorClass, type DocumentedFailure } from './api-error';
import { type ErrorDialect } from './error-dialect';

/** The schema of the details of a failure, and its name in the OpenAPI document. */
export interface DetailsSchema {
  name: string;
  schema: object;
}

/** OpenAPI's response object for failures of one status. */
export interface ErrorResponseObject {
  description: string;
  content: {
    'application/json': { schema: object; examples: Record<string, { value: object }> };
  };
  /**
   * The codes, each with the schema of its details, if it has one. `api-docs` builds the schema of the codes from them.
   */
  'x-codes': Record<string, DetailsSchema | null>;
}

const instances = new WeakMap<ApiErrorClass, ApiError>();

/** The time of the failures in all examples. */
const EXAMPLE_TIME = new Date('2026-01-31T09:30:00.000Z');

/** Describes failures that share a status: one line and one example body for each code. */
export function errorResponse(
  failures: readonly DocumentedFailure[],
  dialect: ErrorDialect,
  path: string,
): ErrorResponseObject {
  const examples: ErrorResponseObject['content']['application/json']['examples'] = {};
  for (const failure of failures) {
    const example = exampleOf(failure);
    const code = dialect.code(example);
    // If two classes share a code, the name of the second example also contains its details.
    const name = code in examples ? `${code} (${Object.values(example.details).join(' ')})` : code;
    // Rendered when the document is built, because decorators run before the modules have declared their messages.
    examples[name] = {
      get value() {
        return dialect.body(example, DEFAULT_LANGUAGE, path, EXAMPLE_TIME);
      },
    };
  }
  return {
    description: failures
      .map((failure) => `\`${dialect.code(exampleOf(failure))}\`: ${classOf(failure).summary}`)
      .join('\n\n'),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${dialect.names.body}` }, examples } },
    'x-codes': Object.fromEntries(
      failures.map((failure) => [dialect.code(exampleOf(failure)), dialect.hasDetails ? detailsOf(failure) : null]),
    ),
  };
}

/** `QuotaExceededDetails` for QUOTA_EXCEEDED. */
function detailsOf(failure: DocumentedFailure): DetailsSchema | null {
  const { code, detailsSchema } = classOf(failure);
  return detailsSchema === undefined ? null : { name: `${capitalized(code)}Details`, schema: detailsSchema };
}

/** `QuotaExceeded` for QUOTA_EXCEEDED: a name that generated clients can use. */
export function capitalized(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The class that documents a failure. */
function classOf(failure: DocumentedFailure): ApiErrorClass {
  return failure instanceof ApiError ? (failure.constructor as ApiErrorClass) : failure;
}

/**
 * The failure as it would be thrown. One instance of each class is enough: many routes share it, and creating an error
 * captures a stack.
 */
export function exampleOf(failure: DocumentedFailure): ApiError {
  if (failure instanceof ApiError) {
    return failure;
  }
  const example = instances.get(failure) ?? ('example' in failure ? failure.example() : new failure());
  instances.set(failure, example);
  return example;
}
