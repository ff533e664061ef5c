import { target } from '../dereference';

export type Schema = Record<string, unknown>;

export type ApiDocument = Parameters<typeof target>[0];

/** One form that a value may have, with the parts of `allOf` merged. */
export interface Form {
  /** Empty: any. */
  types: string[];
  /** Null: no enumeration. Null is not one of its values. */
  values: unknown[] | null;
  properties: Record<string, Schema>;
  required: string[];
  /** The schema of additional properties; undefined: anything. */
  others: Schema | boolean | undefined;
  items: Schema | undefined;
  /** `maxLength` and similar keywords, as numbers. */
  limits: Record<string, number>;
  /** `pattern`, `format` and `uniqueItems`. */
  rules: Record<string, string>;
}

/** The values that a schema allows. */
export interface Allowed {
  isNullable: boolean;
  forms: Form[];
}

const ANYTHING: Form = {
  types: [],
  values: null,
  properties: {},
  required: [],
  others: undefined,
  items: undefined,
  limits: {},
  rules: {},
};

/** Whole numbers are numbers; fractions and bytes are not formats that a value can violate. */
const FORMATS_OF_TYPES = ['double', 'binary'];

/** A schema without one of these does not restrict the value, which may also be null. */
const SAYING = ['type', 'enum', 'const', 'properties', 'allOf', 'anyOf', 'oneOf'];

/**
 * The values that an OpenAPI 3.0 or 3.1 schema allows, in one notation: null separate, and each alternative separate.
 */
export function allowedBy(document: ApiDocument, schema: Schema): Allowed {
  const { $ref, allOf = [], anyOf, oneOf, ...own } = schema as Partial<Record<string, Schema[]>> & { $ref?: string };
  if (typeof $ref === 'string') {
    return allowedBy(document, target(document, $ref) as Schema);
  }
  const alternatives = (anyOf ?? oneOf)?.map((one) => allowedBy(document, one));
  const parts = allOf.map((part) => allowedBy(document, part).forms);
  const lists = [[formOf(own)], ...parts, ...(alternatives ? [alternatives.flatMap(({ forms }) => forms)] : [])];
  return {
    isNullable: isAnything(schema) || allowsNull(own) || (alternatives?.some(({ isNullable }) => isNullable) ?? false),
    forms: lists
      .reduce((all, list) => all.flatMap((one) => list.map((other) => joined(one, other))))
      .filter(isPossible),
  };
}

/** The name of a component schema; null for others. */
export function nameOf({ $ref }: Schema): string | null {
  return typeof $ref === 'string' ? ($ref.split('/').pop() ?? null) : null;
}

function formOf(schema: Schema): Form {
  const { type, properties, required, additionalProperties, items, pattern, format, uniqueItems } = schema;
  const numbers = Object.entries(schema).filter(([name, value]) => typeof value === 'number' && /^m(in|ax)/.test(name));
  const exclusive = Object.entries(schema).flatMap(([name, value]): [string, unknown][] =>
    // In 3.0 it is a flag next to the limit.
    name.startsWith('exclusive') ? [[name, value === true ? schema[name.slice(9).toLowerCase()] : value]] : [],
  );
  const rules = {
    pattern,
    format: FORMATS_OF_TYPES.includes(format as string) ? undefined : format,
    uniqueItems: uniqueItems === true ? 'true' : undefined,
  };
  return {
    types: [type ?? typesOf(valuesOf(schema))].flat().filter((one) => one !== 'null') as string[],
    values: valuesOf(schema),
    properties: (properties ?? {}) as Form['properties'],
    required: (required ?? []) as string[],
    others: additionalProperties as Form['others'],
    items: items as Form['items'],
    limits: Object.fromEntries([...numbers, ...exclusive]) as Form['limits'],
    rules: Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined)) as Form['rules'],
  };
}

/** The types of the only allowed values. */
function typesOf(values: unknown[] | null): string[] {
  return [...new Set((values ?? []).map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))];
}

function valuesOf({ type, const: only, enum: values }: Schema): unknown[] | null {
  if (type === 'null') return [];
  const all = only === undefined ? values : [only];
  return Array.isArray(all) ? all.filter((value) => value !== null) : null;
}

function allowsNull({ type, nullable }: Schema): boolean {
  return nullable === true || [type].flat().includes('null');
}

function isAnything(schema: Schema): boolean {
  return !SAYING.some((name) => name in schema);
}

/** The intersection of both. */
function joined(one: Form, other: Form): Form {
  const names = [...new Set([...Object.keys(one.properties), ...Object.keys(other.properties)])];
  const both = (name: string): Schema[] =>
    [one.properties[name], other.properties[name]].filter((part) => part !== undefined);
  return {
    types: one.types.length === 0 ? other.types : one.types,
    values:
      one.values && other.values
        ? one.values.filter((value) => other.values?.includes(value))
        : (one.values ?? other.values),
    properties: Object.fromEntries(
      names.map((name) => [name, both(name).length === 1 ? (both(name)[0] as Schema) : { allOf: both(name) }]),
    ),
    required: [...new Set([...one.required, ...other.required])],
    others: one.others ?? other.others,
    items: one.items ?? other.items,
    limits: { ...one.limits, ...other.limits },
    rules: { ...one.rules, ...other.rules },
  };
}

function isPossible({ values }: Form): boolean {
  return values === null || values.length > 0;
}

/** For an absent schema. */
export const ANYTHING_ALLOWED: Allowed = { isNullable: true, forms: [ANYTHING] };
