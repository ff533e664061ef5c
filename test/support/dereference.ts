import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';

export type ApiDocument = OpenAPIObject;

/** References that are kept, because readers know their names. */
const KEPT = /^#\/components\/(schemas|headers)\//;

/** Headers of failures that only some statuses have. */
const HEADERS: Record<string, RegExp> = { '429': /^(X-RateLimit-|Retry-After$)/, '503': /^Retry-After$/ };

/**
 * A copy of the document in which every operation has its own parameters, bodies, responses and access, and each of the
 * shared errors under its status.
 */
export function dereference(document: OpenAPIObject): OpenAPIObject {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(resolve);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && $ref.startsWith('#/') && !KEPT.test($ref)) {
      return resolve(target(document, $ref));
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  const whole = { ...document, paths: resolve(document.paths) as OpenAPIObject['paths'] };
  for (const { operation } of operationsOf(whole)) {
    operation.security ??= document.security ?? [];
    operation.responses = withEveryStatus(operation.responses);
  }
  return whole;
}

type Responses = NonNullable<OpenAPIObject['paths'][string]['get']>['responses'];

/**
 * The description of `default` lists the status of each error, in the order of their schemas: ``400 `A`, `B`; 406
 * `C`.``
 */
function withEveryStatus({ default: common, ...responses }: Responses): Responses {
  const {
    description = '',
    headers = {},
    content,
  } = (common ?? {}) as {
    description?: string;
    headers?: object;
    content?: { 'application/json': { schema: { anyOf: object[] } } };
  };
  const schemas = [...(content?.['application/json'].schema.anyOf ?? [])];
  const failures = [...description.matchAll(/(\d{3}) (`[^;.]+`)/g)].map(([, status = '', codes = '']) => {
    const sent = Object.entries(headers).filter(([name]) => HEADERS[status]?.test(name));
    const response = {
      description: codes,
      ...(sent.length > 0 && { headers: Object.fromEntries(sent) as object }),
      content: { 'application/json': { schema: { anyOf: schemas.splice(0, codes.split(', ').length) } } },
    };
    return [status, response];
  });
  return { ...(Object.fromEntries(failures) as Responses), ...responses };
}

/** The target of a reference; undefined if there is none. */
export function target(document: OpenAPIObject, $ref: string): unknown {
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}
