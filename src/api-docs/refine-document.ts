import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type OperationObject, operationsOf } from './operations';

type SchemaOrReference = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
type Schema = Exclude<SchemaOrReference, { $ref: string }>;
type Parameter = Extract<NonNullable<OperationObject['parameters']>[number], { in: string }>;

/** A UTC time as the service writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Members of a schema that come before all others. */
const FIRST = ['type', 'format', 'enum', 'description'];

/** Adds what the generator cannot know: facts about all numbers, times, ids and defaults of this service. */
export function refineDocument(document: OpenAPIObject): void {
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    refineSchema(schema);
  }
  for (const { path, method, operation } of operationsOf(document)) {
    // Stated explicitly, because a missing entry could also be a mistake.
    operation.security ??= [];
    refineParameters(path, method, operation);
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response && 'description' in response) {
        response.description ||= STATUS_CODES[status] ?? 'The response.';
        Object.values(response.content ?? {}).forEach(({ schema }) => refineSchema(schema));
      }
    }
  }
}

function refineParameters(path: string, method: string, operation: OperationObject): void {
  for (const parameter of operation.parameters ?? []) {
    if ('in' in parameter) {
      refineSchema(parameter.schema);
      if (parameter.in === 'path') {
        describeId(path, method, parameter);
      } else if (hasDefault(parameter)) {
        // The generator marks every initialised field as required.
        parameter.required = false;
      }
      if (parameter.required === false) {
        // Optional is the default in OpenAPI.
        delete parameter.required;
      }
    }
  }
  // OpenAPI ignores this header as a parameter and describes it by security schemes.
  operation.parameters = operation.parameters?.filter(
    (parameter) => !('in' in parameter && parameter.name.toLowerCase() === 'authorization'),
  );
  if (operation.parameters?.length === 0) {
    delete operation.parameters;
  }
}

function hasDefault({ schema }: Parameter): boolean {
  return schema !== undefined && 'default' in schema && schema.default !== undefined;
}

/**
 * The segment before an id in a path names the resource: `/agents/{id}` has the id of an agent. Only operations that
 * read have an example, because the page sends it by default, and the first user is an administrator.
 */
function describeId(path: string, method: string, parameter: Parameter): void {
  if (parameter.description === undefined && parameter.schema && !('$ref' in parameter.schema)) {
    const segments = path.split('/');
    const area = segments[segments.indexOf(`{${parameter.name}}`) - 1] ?? '';
    const thing = nameOf(area.replace(/ies$/, 'y').replace(/s$/, ''));
    parameter.description = thing === 'version' ? 'Number of the version.' : `Id of the ${thing}.`;
    if (method === 'get') {
      parameter.example = 1;
    }
    parameter.schema.minimum = 1;
  }
}

/** `mcp_server` becomes "MCP server", and a `chat` is a conversation. */
function nameOf(thing: string): string {
  const words = thing.replaceAll(/[_-]/g, ' ').replace(/\b(api|mcp)\b/, (word) => word.toUpperCase());
  return words === 'chat' ? 'conversation' : words;
}

function refineSchema(schema: SchemaOrReference | undefined): void {
  if (!schema || '$ref' in schema) {
    return;
  }
  // Fields that accept fractions have `format: double`.
  if (schema.type === 'number' && schema.format === undefined) {
    schema.type = 'integer';
  }
  if (schema.type === 'string' && typeof schema.example === 'string' && INSTANT.test(schema.example)) {
    schema.format ??= 'date-time';
  }
  // OpenAPI 3.0 requires null in the enumeration of a nullable schema.
  if (schema.nullable && schema.enum && !schema.enum.includes(null)) {
    schema.enum = [...(schema.enum as unknown[]), null];
  }
  if (schema.nullable && schema.allOf) {
    allowNull(schema, schema.allOf);
  }
  for (const part of partsOf(schema)) {
    refineSchema(part);
  }
  putInOrder(schema);
}

/** Sorts the members. The generator's order varies, and equal schemas would look different. */
function putInOrder(schema: Schema): void {
  const members = Object.entries(schema) as [string, unknown][];
  const placeOf = ([name]: [string, unknown]): string =>
    `${FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length} ${name}`;
  members.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  for (const [name, value] of members) {
    delete schema[name as keyof Schema];
    Object.assign(schema, { [name]: value });
  }
}

/** The model does not allow null itself, so null becomes an alternative to it. */
function allowNull(schema: Schema, model: SchemaOrReference[]): void {
  delete schema.type;
  delete schema.nullable;
  delete schema.allOf;
  schema.anyOf = [...model, { type: 'null' }];
}

function partsOf(schema: Schema): SchemaOrReference[] {
  const lists = [schema.allOf, schema.oneOf, schema.anyOf].flatMap((parts) => parts ?? []);
  const others = [schema.items, schema.additionalProperties].filter((part) => typeof part === 'object');
  return [...Object.values(schema.properties ?? {}), ...lists, ...others];
}
