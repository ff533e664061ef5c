import type { OpenAPIObject } from '@nestjs/swagger';
import { errorDialectOf, errorDialects } from '../common/errors/error-dialect';
import { errorDetailsSchemas, type ErrorResponseObject } from '../common/errors/error-documentation';
import { operationsOf } from './operations';

type Codes = [code: string, details: string | null][];

/**
 * Adds the schemas of failures, and narrows `error.code` in each failure to the codes that the operation answers with its
 * status, and `error.details` where a code has known ones. So a `switch` in a generated client has all cases, and a case
 * knows its details.
 */
export function documentErrorCodes(document: OpenAPIObject): void {
  for (const { path, operation } of operationsOf(document)) {
    const { error } = errorDialectOf(path).names;
    for (const response of Object.values(operation.responses) as Partial<ErrorResponseObject>[]) {
      const { 'x-codes': codes, content } = response;
      if (codes && content) {
        const json = content['application/json'];
        const narrowed = { allOf: [referenceTo(error), alternativesOf(Object.entries(codes))] };
        json.schema = { allOf: [json.schema, { type: 'object', properties: { error: narrowed } }] };
        delete response['x-codes'];
      }
    }
  }
  document.components = { ...document.components };
  document.components.schemas = { ...document.components.schemas, ...errorSchemas() };
}

/** The schemas of the bodies in each dialect, of their codes, and of the details that are known. */
function errorSchemas(): Record<string, object> {
  const ofDialects = errorDialects().flatMap(({ names, schemas, codes }): [string, object][] => [
    [names.body, schemas.body],
    [names.error, schemas.error],
    [names.code, { type: 'string', description: 'Stable; decide by this.', enum: codes() }],
  ]);
  // A copy, because the schemas that errors have in common are the same objects.
  return structuredClone({ ...Object.fromEntries(ofDialects), ...errorDetailsSchemas() });
}

function alternativesOf(codes: Codes): object {
  const plain = codes.flatMap(([code, details]) => (details === null ? [code] : []));
  const alternatives = [
    ...(plain.length > 0 ? [alternative(plain)] : []),
    ...codes.flatMap(([code, details]) => (details === null ? [] : [alternative([code], details)])),
  ];
  return alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives };
}

function alternative(codes: string[], details?: string): object {
  const code = { type: 'string', enum: codes.sort() };
  return {
    type: 'object',
    properties: { code, ...(details !== undefined && { details: referenceTo(details) }) },
  };
}

function referenceTo(schema: string): { $ref: string } {
  return { $ref: `#/components/schemas/${schema}` };
}
