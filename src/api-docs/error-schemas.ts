import type { OpenAPIObject } from '@nestjs/swagger';
import { ENVELOPE, type ErrorDialect } from '../common/errors/error-dialect';
import type { ErrorDialects } from '../common/errors/error-dialects';
import { capitalized, type DetailsSchema, type ErrorResponseObject } from '../common/errors/error-documentation';
import { DEFAULT_LANGUAGE } from '../common/i18n/language';
import { sentences } from '../common/i18n/translator';
import { operationsOf } from './operations';
import { nameVariants, type Reference } from './share';

/** A failure with one status that an operation can return. */
interface Failure {
  name: string;
  /** Failures with the same name and kind are identical for clients. */
  kind: string;
  schema: object;
  setReference: (reference: Reference) => void;
}

/**
 * Adds the schemas of failures. Each code has one schema, with its sentence, an example, and the schema of its details
 * where known. Each operation and status refers to the schemas of its own codes. A `switch` in a generated client then
 * covers all cases and knows the details of each.
 */
export function documentErrors(document: OpenAPIObject, dialects: ErrorDialects): void {
  const responses = operationsOf(document).flatMap(({ path, operation }) =>
    Object.entries(operation.responses)
      .filter(([, response]) => response !== undefined && 'x-codes' in response)
      .map(([status, response]) => ({ path, status, response: response as unknown as ErrorResponseObject })),
  );
  const details = responses.flatMap(({ response }) => Object.values(response['x-codes']).filter((one) => one !== null));
  const failures = responses.flatMap(({ path, status, response }) =>
    replaceByReferences(response, dialects.of(path), status),
  );
  const schemas = nameVariants(
    failures,
    ({ name }) => name,
    ({ kind }) => kind,
    (one, name) => one.setReference({ $ref: `#/components/schemas/${name}` }),
  ).map(([name, { schema }]): [string, object] => [name, schema]);
  document.components = { ...document.components };
  document.components.schemas = {
    ...document.components.schemas,
    ...commonSchemas(dialects, details),
    ...(Object.fromEntries(schemas) as Record<string, object>),
  };
}

/** Replaces the content of the response by its codes and a reference to the schema of each code. */
function replaceByReferences(response: ErrorResponseObject, dialect: ErrorDialect, status: string): Failure[] {
  const { 'x-codes': codes, content, description } = response;
  const json = content['application/json'];
  const shown = Object.values(json.examples).map(({ value }): [string, ErrorExample] => [
    codeOf(value),
    value as ErrorExample,
  ]);
  // Sorted, so that operations with the same failures have the same response.
  const examples = new Map(shown.sort(([one], [other]) => (one < other ? -1 : 1)));
  const references: Reference[] = [];
  const failures = [...examples].map(([code, example], index): Failure => {
    const details = codes[code]?.name ?? null;
    return {
      name: schemaName(code, dialect),
      kind: `${status} ${details}`,
      schema: failureSchema({ details, example, sentence: sentenceOf(description, code) }, dialect),
      setReference: (reference) =>
        void (examples.size === 1 ? (json.schema = reference) : (references[index] = reference)),
    };
  });
  response.description = [...examples.keys()].map((code) => `\`${code}\``).join(', ');
  json.schema = { anyOf: references };
  delete (json as Partial<typeof json>).examples;
  delete (response as Partial<ErrorResponseObject>)['x-codes'];
  return failures;
}

interface ErrorExample {
  error: Record<string, unknown> & { code: string };
}

interface FailureFacts {
  details: string | null;
  example: ErrorExample;
  sentence: string;
}

/**
 * Examples are at the members of `error` that differ. The schema of the body has the examples of the common members.
 */
function failureSchema({ details, example, sentence }: FailureFacts, { names, schemas }: ErrorDialect): object {
  const { properties: common } = schemas.error as {
    properties: Record<string, { enum?: unknown[] }>;
  };
  const properties = Object.entries(example.error)
    .filter(([name, value]) => name !== 'retry_after' && value !== null)
    .filter(([name, value]) => value !== common[name]?.enum?.[0])
    .filter(([name, value]) => name !== 'details' || details !== null || Object.keys(value as object).length > 0)
    .map(([name, value]): [string, object] => {
      if (name === 'code') {
        return [name, { enum: [value] }];
      }
      return [name, name === 'details' && details !== null ? referenceTo(details) : { example: value }];
    });
  return {
    // Other dialects put into an example what the service's own dialect puts into a sentence.
    ...(names === ENVELOPE.names && { description: sentence }),
    allOf: [referenceTo(names.body), { properties: { error: { properties: Object.fromEntries(properties) } } }],
  };
}

/** `UsernameTakenError`, or `InvalidTypeOpenAiError`. */
function schemaName(code: string, { names }: ErrorDialect): string {
  return `${capitalized(code).replace(/Error$/, '')}${names.body.replace(/Body$/, '')}`;
}

/** The description of a status has one paragraph for each code. */
function sentenceOf(description: string, code: string): string {
  const beginning = `\`${code}\`: `;
  const paragraph = description.split('\n\n').find((text) => text.startsWith(beginning)) ?? '';
  return paragraph.slice(beginning.length);
}

function codeOf(body: object): string {
  return (body as { error: { code: string } }).error.code;
}

/** The schemas of the bodies in each dialect, of their codes, and of the known details. */
function commonSchemas(dialects: ErrorDialects, details: DetailsSchema[]): Record<string, object> {
  const all = Object.keys(sentences()[DEFAULT_LANGUAGE].errors).sort();
  const ofDialects = dialects.all
    .filter(({ isDocumented }) => isDocumented)
    .flatMap(({ names, schemas, codes }): [string, object][] => [
      [names.body, schemas.body],
      [names.error, schemas.error],
      [
        names.code,
        { type: 'string', description: 'Stable error code. Use it to tell errors apart.', enum: codes(all) },
      ],
    ]);
  // A copy, because errors share the objects of their common schemas.
  const ofDetails = details.map(({ name, schema }): [string, object] => [name, schema]);
  return structuredClone(Object.fromEntries([...ofDialects, ...ofDetails]));
}

function referenceTo(schema: string): Reference {
  return { $ref: `#/components/schemas/${schema}` };
}
