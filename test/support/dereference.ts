import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';

export type ApiDocument = OpenAPIObject;

/** What stays a reference: it has a name that readers know. */
const KEPT = /^#\/components\/(schemas|headers)\//;

/** A copy of the document in which every operation stands with its own parameters, bodies, responses and access. */
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
  }
  return whole;
}

/** What a reference names; undefined when there is no such thing. */
export function target(document: OpenAPIObject, $ref: string): unknown {
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}
