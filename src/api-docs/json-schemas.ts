import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Record<string, unknown>;

/** Members of a schema that are schemas themselves: one, a list, or a map by name. */
const PARTS = ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf', 'contentSchema'];

/** Members with plain JSON, which contains no schemas. */
const DATA = ['example', 'examples', 'default', 'enum', 'const'];

/**
 * Converts all schemas to the form of OpenAPI 3.1, JSON Schema 2020-12. The generator and the decorators write the form
 * of 3.0: null as `nullable`, one `example`, and `format: binary`.
 */
export function useJsonSchemas(document: OpenAPIObject): void {
  Object.values(document.components?.schemas ?? {}).forEach((schema) => convert(schema as Node));
  convertBelow(document.paths);
  convertBelow({ ...document.components, schemas: undefined });
}

/** Converts the member `schema` of all parameters, headers and media types below a node. */
function convertBelow(node: unknown): void {
  for (const [name, member] of Object.entries((node ?? {}) as Node)) {
    if (name === 'schema') {
      convert(member as Node);
    } else if (typeof member === 'object' && !DATA.includes(name)) {
      convertBelow(member);
    }
  }
}

function convert(schema: Node): void {
  const { nullable, example, format } = schema;
  if (nullable !== undefined) {
    delete schema.nullable;
  }
  if (nullable === true) {
    allowNull(schema);
  }
  if (example !== undefined) {
    delete schema.example;
    // Tools derive these examples themselves: the first value of an enumeration, and true.
    if (example !== (Array.isArray(schema.enum) ? schema.enum[0] : schema.type === 'boolean')) {
      schema.examples = [example];
    }
  }
  if (Array.isArray(schema.enum)) {
    describeOneOf(schema, schema.enum);
  }
  if (format === 'binary') {
    delete schema.format;
    schema.contentMediaType = 'application/octet-stream';
  }
  referDirectly(schema);
  const parts = PARTS.flatMap((name) => schema[name] ?? []).concat(Object.values(schema.properties ?? {}));
  parts.filter((part) => typeof part === 'object').forEach((part) => convert(part as Node));
}

/** In 3.1, a reference may have siblings such as a description. In 3.0 it had to be a part of `allOf`. */
function referDirectly(schema: Node): void {
  const [part, ...others] = (schema.allOf ?? []) as Node[];
  const members = Object.keys(schema).filter((name) => !['allOf', 'description', 'examples'].includes(name));
  if (part !== undefined && others.length + members.length === 0 && Object.keys(part).join() === '$ref') {
    delete schema.allOf;
    schema.$ref = part.$ref;
  }
}

/** A constant needs no further description. */
function describeOneOf(schema: Node, values: unknown[]): void {
  if (values.length === 1) {
    delete schema.examples;
    delete schema.enum;
    delete schema.type;
    schema.const = values[0];
    if (/^Always /.test(String(schema.description))) {
      delete schema.description;
    }
  }
}

function allowNull(schema: Node): void {
  if (Array.isArray(schema.enum) && schema.enum.every((value) => value === null)) {
    delete schema.enum;
    schema.type = 'null';
  } else if (Array.isArray(schema.anyOf)) {
    schema.anyOf.push({ type: 'null' });
  } else {
    schema.type = [schema.type, 'null'];
  }
}
