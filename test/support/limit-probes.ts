import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';
import { dereference, target } from './dereference';
import { contentOf, type LimitedSchema } from './request-limits';

interface Schema extends LimitedSchema {
  minLength?: number;
  minItems?: number;
  minimum?: number;
  format?: string;
  required?: string[];
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** A limited value in a request, by the document. */
export interface LimitProbe {
  method: string;
  path: string;
  /** `body`, `query`, `path`, `header`. */
  in: string;
  /** `parts[].text`; a single member named by the client is `.*`. */
  place: string;
  limit: 'maxLength' | 'maxItems' | 'maxProperties';
  most: number;
  /** The body, or the parameter, with this length at the location, and otherwise minimal. */
  make: (size: number) => unknown;
  /** The minimal body by the document. */
  body: unknown;
}

type Variant = Pick<LimitProbe, 'place' | 'limit' | 'most' | 'make'>;

/** Every limit of length or number in the document, each in an otherwise minimal request. */
export function limitProbes(document: OpenAPIObject): LimitProbe[] {
  return operationsOf(dereference(document)).flatMap(({ path, method, operation }) => {
    const content = contentOf(operation.requestBody);
    // A body that is not a form is refused before anything else is read.
    if (Object.keys(content).join() === 'multipart/form-data') return [];
    const json = content['application/json']?.schema;
    const route = { method: method.toUpperCase(), path, body: json && sample(document, json) };
    const parameters = (operation.parameters ?? []) as { in: string; name: string; schema: Schema }[];
    const ofParameters = parameters.flatMap(({ in: holder, name, schema }) =>
      variantsOf(document, schema, name).map((variant): LimitProbe => ({ ...route, in: holder, ...variant })),
    );
    const ofBody = json ? variantsOf(document, json, '') : [];
    return [...ofParameters, ...ofBody.map((variant): LimitProbe => ({ ...route, in: 'body', ...variant }))];
  });
}

/** A value of a schema without optional content. */
function sample(document: OpenAPIObject, schema: Schema): unknown {
  const { $ref, examples, allOf, properties = {}, required = [] } = schema;
  if ($ref !== undefined) return sample(document, target(document, $ref) as Schema);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sample(document, first);
  const [type] = [schema.type ?? (allOf ? 'object' : [])].flat();
  switch (type) {
    case 'string':
      return examples?.[0] ?? 'x'.repeat(Math.max(schema.minLength ?? 1, 1));
    case 'integer':
    case 'number':
      return examples?.[0] ?? schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(document, schema.items ?? {}));
    case 'object': {
      const inherited = (allOf ?? []).map((part) => sample(document, part) as object);
      const own = required.map((name) => [name, sample(document, properties[name] ?? {})]);
      return Object.assign({}, ...inherited, Object.fromEntries(own)) as object;
    }
    default:
      return null;
  }
}

/** @param entered references on the way: a schema that contains itself is entered once */
function variantsOf(document: OpenAPIObject, schema: Schema, place: string, entered: string[] = []): Variant[] {
  if (schema.$ref !== undefined) {
    if (entered.includes(schema.$ref)) return [];
    return variantsOf(document, target(document, schema.$ref) as Schema, place, [...entered, schema.$ref]);
  }
  if (schema.const !== undefined || schema.enum !== undefined) return [];
  const { items = {}, properties = {}, additionalProperties: others, allOf = [] } = schema;
  const least = (part: Schema): unknown => sample(document, part);
  const within = (part: Schema, name: string, wrap: (inner: unknown) => unknown): Variant[] =>
    variantsOf(document, part, `${place}${name}`, entered).map(({ make, ...variant }) => ({
      ...variant,
      make: (size) => wrap(make(size)),
    }));
  const member = (name: string) => (inner: unknown) => ({ ...(least(schema) as object), [name]: inner });
  const free = typeof others === 'object' ? others : {};
  const dot = place === '' ? '' : '.';
  return [
    ...own(schema, place, (size) => textOf(schema, place, size)),
    ...ownItems(schema, place, () => least(items)),
    ...ownMembers(schema, place, () => least(free)),
    ...(schema.type === 'array' ? within(items, '[]', (inner) => [inner]) : []),
    ...(typeof others === 'object' ? within(others, '.*', member('k')) : []),
    ...Object.entries(properties).flatMap(([name, part]) => within(part, `${dot}${name}`, member(name))),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => variantsOf(document, part, place, entered)),
    ...allOf.flatMap((part) => within(part, '', (inner) => ({ ...(least(schema) as object), ...(inner as object) }))),
  ];
}

function own({ maxLength: most }: Schema, place: string, make: Variant['make']): Variant[] {
  return most === undefined ? [] : [{ place, limit: 'maxLength', most, make }];
}

function ownItems({ maxItems: most }: Schema, place: string, item: () => unknown): Variant[] {
  const make = (length: number) => Array.from({ length }, item);
  return most === undefined ? [] : [{ place, limit: 'maxItems', most, make }];
}

function ownMembers({ maxProperties: most }: Schema, place: string, value: () => unknown): Variant[] {
  const make = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value()]));
  return most === undefined ? [] : [{ place, limit: 'maxProperties', most, make }];
}

/** File contents are longer than any text. */
const LONGEST_WORDS = 1_000_000;

function textOf({ maxLength = 0 }: Schema, place: string, size: number): string {
  const head = maxLength > LONGEST_WORDS && !place.endsWith('file_data') ? 'data:;base64,' : '';
  return head + (maxLength > LONGEST_WORDS ? 'A' : 'x').repeat(size - head.length);
}
