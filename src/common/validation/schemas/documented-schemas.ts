import { applyDecorators } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { ConversionConfig } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { loadPackage } from '../../load-package';

type JsonSchema = Record<string, unknown>;

const schemas = new Map<string, GenericSchema>();

/**
 * Documents the body of a route that is checked by a schema.
 *
 * @param name of the schema in the OpenAPI document
 * @param examples bodies by what they show
 */
export function ApiSchemaBody(
  name: string,
  schema: GenericSchema,
  examples: Record<string, { value: object }>,
): MethodDecorator {
  schemas.set(name, schema);
  return applyDecorators(ApiBody({ schema: { $ref: `#/components/schemas/${name}` }, examples }));
}

/** The schemas of all such bodies as OpenAPI 3.0 has them, by name. */
export function documentedSchemas(): Record<string, JsonSchema> {
  // Only this needs the package.
  const { toJsonSchema } = loadPackage('@valibot/to-json-schema') as {
    toJsonSchema: (schema: GenericSchema, config: ConversionConfig) => JsonSchema;
  };
  const config = { target: 'openapi-3.0', typeMode: 'input', errorMode: 'ignore' } as const;
  return Object.fromEntries([...schemas].map(([name, schema]) => [name, inOurStyle(toJsonSchema(schema, config))]));
}

/**
 * As all schemas of the document are written: one example, and fractions with their format. That null is the same as absent
 * is not said at each field.
 */
function inOurStyle(value: object): JsonSchema {
  const { examples, nullable: _nullable, required, ...rest } = value as JsonSchema;
  const [example] = Array.isArray(examples) ? (examples as unknown[]) : [];
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, partInOurStyle(member)])),
    ...(Array.isArray(required) && required.length > 0 && { required: required as unknown }),
    ...(rest.type === 'number' && { format: 'double' }),
    ...(example !== undefined && { example }),
  };
}

function partInOurStyle(part: unknown): unknown {
  if (Array.isArray(part)) {
    return part.map(partInOurStyle);
  }
  return typeof part === 'object' && part !== null ? inOurStyle(part) : part;
}
