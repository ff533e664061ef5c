import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { ConversionConfig } from '@valibot/to-json-schema';
import { custom, type GenericSchema, metadata, pipe } from 'valibot';
import { loadPackage } from '../../load-package';
import { type NamedSchema, namedSchema, referenceTo, schemaPath } from './named-schema';

type JsonSchema = Record<string, unknown>;

/** Alternatives that one of their members distinguishes. */
type Variant = GenericSchema & {
  key: string;
  options: { entries?: Record<string, { literal?: string; options?: string[] }> }[];
};

/** The key under which a handler has the schema of its body. */
const BODY_SCHEMA = Symbol('BODY_SCHEMA');

/**
 * Documents the body of a route that a schema validates.
 *
 * @param name of the schema in the OpenAPI document
 * @param examples bodies by name
 */
export function ApiSchemaBody(
  name: string,
  schema: GenericSchema,
  examples: Record<string, { value: object }>,
): MethodDecorator {
  const named = namedSchema(name, schema);
  return applyDecorators(SetMetadata(BODY_SCHEMA, named), ApiBody({ schema: referenceTo(named), examples }));
}

/** The schemas of the bodies that the handlers of a controller accept. */
export function bodySchemasOf(controller: Type<object>): NamedSchema[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype).flatMap(
    (name) => (Reflect.getMetadata(BODY_SCHEMA, prototype[name] ?? {}) as NamedSchema | undefined) ?? [],
  );
}

/** Represents a DTO class, which the controllers document, in the schema of a response. */
export function dtoSchema<Dto>(dto: Type<Dto>): GenericSchema<Dto> {
  return pipe(
    custom<Dto>(() => true),
    metadata({ $ref: schemaPath(dto.name) }),
  );
}

/** These schemas by name, in the form of OpenAPI 3.0, which `api-docs` converts. */
export function documentedSchemas(schemas: readonly NamedSchema[]): Record<string, JsonSchema> {
  // Loaded on demand, because only this function needs the package.
  const { toJsonSchema } = loadPackage('@valibot/to-json-schema') as {
    toJsonSchema: (schema: GenericSchema, config: ConversionConfig) => JsonSchema;
  };
  return Object.fromEntries(
    schemas.map(({ name, schema, isAnswer }) => {
      const definitions = Object.fromEntries(
        schemas.filter((other) => other.name !== name).map((other) => [other.name, other.schema]),
      );
      const { $defs: _defs, ...own } = toJsonSchema(schema, { ...CONFIG, definitions });
      return [name, { ...inOurStyle(own, isAnswer), ...discriminatorOf(schema, schemas) }];
    }),
  );
}

const CONFIG: ConversionConfig = {
  target: 'openapi-3.0',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => schemaPath(referenceId),
  // A named schema with a description remains a reference to the same schema.
  overrideSchema: ({ referenceId }) => (referenceId === undefined ? undefined : { $ref: schemaPath(referenceId) }),
};

/** The member that decides which of several named schemas a value has. */
function discriminatorOf(schema: GenericSchema, schemas: readonly NamedSchema[]): JsonSchema {
  if (schema.type !== 'variant') {
    return {};
  }
  const { key, options } = schema as Variant;
  const names = new Map(schemas.map((one): [unknown, string] => [one.schema, one.name]));
  const mapping = options.flatMap((option) => {
    const { literal, options: literals = literal === undefined ? [] : [literal] } = option.entries?.[key] ?? {};
    const name = names.get(option);
    return name === undefined ? [] : literals.map((one): [string, string] => [one, schemaPath(name)]);
  });
  return mapping.length === 0 ? {} : { discriminator: { propertyName: key, mapping: Object.fromEntries(mapping) } };
}

/**
 * Converts a schema to the style of the document: one example, fractions with their format, and `anyOf` for
 * alternatives, which need not exclude each other. For fields of requests, null is the same as absent, so the document
 * does not state it for each field.
 */
function inOurStyle(value: object, isAnswer: boolean): JsonSchema {
  const { examples, nullable, required, oneOf, properties, default: preset, ...rest } = value as JsonSchema;
  const [example] = Array.isArray(examples) ? (examples as unknown[]) : [];
  const schema = {
    ...(isAnswer && isOfTexts(rest) && { type: 'string' }),
    ...membersInOurStyle(rest, isAnswer),
    ...(properties !== undefined && { properties: membersInOurStyle(properties as JsonSchema, isAnswer) }),
    ...(oneOf !== undefined && { anyOf: partInOurStyle(oneOf, isAnswer) }),
    ...(Array.isArray(required) && required.length > 0 && { required: required as unknown }),
    ...(preset !== undefined && preset !== null && { default: preset }),
    ...(rest.type === 'number' && { format: 'double' }),
    ...(example !== undefined && { example }),
  };
  return isAnswer && nullable === true ? orNull(schema) : schema;
}

function isOfTexts({ enum: values }: JsonSchema): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

/** A schema in the components does not allow null itself. */
function orNull({ $ref, ...schema }: JsonSchema): JsonSchema {
  return $ref === undefined ? { ...schema, nullable: true } : { ...schema, anyOf: [{ $ref }, { type: 'null' }] };
}

function membersInOurStyle(members: JsonSchema, isAnswer: boolean): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, partInOurStyle(member, isAnswer)]));
}

function partInOurStyle(part: unknown, isAnswer: boolean): unknown {
  if (Array.isArray(part)) {
    return part.map((one) => partInOurStyle(one, isAnswer));
  }
  return typeof part === 'object' && part !== null ? inOurStyle(part, isAnswer) : part;
}
