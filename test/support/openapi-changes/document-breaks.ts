import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/api-docs/operations';
import { dereference } from '../dereference';
import { type Direction, SchemaBreaks } from './schema-breaks';
import type { Schema } from './schema-forms';

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Answer extends Content {
  headers?: Record<string, unknown>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Answer>;
  security?: Record<string, unknown>[];
  'x-scope'?: string | null;
}

/**
 * Changes that break clients of a released API document: one sentence each, with the location and the change. Empty if
 * there are only additions.
 */
export function documentBreaks(released: OpenAPIObject, current: OpenAPIObject): string[] {
  const schemas = new SchemaBreaks(released, current);
  const now = new Map(operations(current));
  const found = operations(released).flatMap(([route, operation]) => {
    const same = now.get(route);
    return same === undefined ? [`${route}: is gone`] : operationBreaks(schemas, route, operation, same);
  });
  return [...new Set(found)].sort();
}

function operations(document: OpenAPIObject): [string, Operation][] {
  return operationsOf(dereference(document)).map(({ path, method, operation }) => [
    `${method.toUpperCase()} ${path}`,
    operation as Operation,
  ]);
}

function operationBreaks(schemas: SchemaBreaks, route: string, old: Operation, now: Operation): string[] {
  const isRenamed = old.operationId !== undefined && old.operationId !== now.operationId;
  return [
    ...(isRenamed ? [`${route}: ${old.operationId} became ${now.operationId}`] : []),
    ...accessBreaks(route, old, now),
    ...parameterBreaks(schemas, route, old.parameters ?? [], now.parameters ?? []),
    ...bodyBreaks(schemas, route, old.requestBody, now.requestBody),
    ...Object.entries(old.responses).flatMap(([status, answer]) => {
      const same = now.responses[status];
      const at = `${route} ${status}`;
      return same === undefined ? [`${at}: is gone`] : answerBreaks(schemas, at, answer, same);
    }),
  ];
}

function accessBreaks(route: string, old: Operation, now: Operation): string[] {
  const { security: before = [], 'x-scope': scope } = old;
  const { security: after = [], 'x-scope': otherScope } = now;
  const isOpen = after.length === 0;
  const ways = before.flatMap(Object.keys).filter((way) => !after.some((one) => way in one));
  const closed = before.length === 0 && !isOpen ? [`${route}: needs a login now`] : [];
  const refused = isOpen ? [] : ways.map((way) => `${route}: ${way} is refused`);
  const other = scope === otherScope || isOpen || !scope ? [] : [`${route}: scope ${scope} became ${otherScope}`];
  return [...closed, ...refused, ...other];
}

function parameterBreaks(schemas: SchemaBreaks, route: string, old: Parameter[], now: Parameter[]): string[] {
  const isSame = (one: Parameter) => (other: Parameter) => one.name === other.name && one.in === other.in;
  const kept = old.flatMap((parameter) => {
    const at = `${route} ${parameter.in} ${parameter.name}`;
    const same = now.find(isSame(parameter));
    if (same === undefined) return [`${at}: is gone`];
    const required = same.required && !parameter.required ? [`${at}: is required now`] : [];
    return [...required, ...schemas.of(parameter.schema, same.schema, 'request', at)];
  });
  const added = now.filter((parameter) => parameter.required && !old.some(isSame(parameter)));
  return [...kept, ...added.map((parameter) => `${route} ${parameter.in} ${parameter.name}: is required now`)];
}

function bodyBreaks(
  schemas: SchemaBreaks,
  route: string,
  old: Operation['requestBody'],
  now: Operation['requestBody'],
): string[] {
  const at = `${route} body`;
  const required = now?.required && !old?.required ? [`${at}: is required now`] : [];
  if (old === undefined) return required;
  return now === undefined ? [`${at}: is gone`] : [...required, ...contentBreaks(schemas, at, old, now, 'request')];
}

function answerBreaks(schemas: SchemaBreaks, at: string, old: Answer, now: Answer): string[] {
  const gone = Object.keys(old.headers ?? {}).filter((name) => !(name in (now.headers ?? {})));
  return [...gone.map((name) => `${at} header ${name}: is gone`), ...contentBreaks(schemas, at, old, now, 'answer')];
}

function contentBreaks(schemas: SchemaBreaks, at: string, old: Content, now: Content, direction: Direction): string[] {
  return Object.entries(old.content ?? {}).flatMap(([type, { schema }]) => {
    const same = now.content?.[type];
    const place = `${at} ${type}`;
    return same === undefined ? [`${place}: is gone`] : schemas.of(schema, same.schema, direction, place);
  });
}
