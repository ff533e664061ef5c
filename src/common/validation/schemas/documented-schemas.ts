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
  return applyDecorators(ApiBody({ schema: documentSchema(name, schema), examples }));
}

/** Gives a schema a name in the OpenAPI document. Other schemas that have it inside refer to it. */
export function documentSchema(name: string, schema: GenericSchema): { $ref: string } {
  schemas.set(name, schema);
  return { $ref: pathOf(name) };
}

/** The schemas of all such bodies by name, in the form of OpenAPI 3.0, which `api-docs` writes anew. */
export function documentedSchemas(): Record<string, JsonSchema> {
  // Only this needs the package.
  const { toJsonSchema } = loadPackage('@valibot/to-json-schema') as {
    toJsonSchema: (schema: GenericSchema, config: ConversionConfig) => JsonSchema;
  };
  return Object.fromEntries(
    [...schemas].map(([name, schema]) => {
      const definitions = Object.fromEntries([...schemas].filter(([other]) => other !== name));
      const { $defs: _defs, ...own } = toJsonSchema(schema, { ...CONFIG, definitions });
      return [name, inOurStyle(own)];
    }),
  );
}

const CONFIG: ConversionConfig = {
  target: 'openapi-3.0',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => pathOf(referenceId),
};

function pathOf(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * As all schemas of the document are written: one example, fractions with their format, and `anyOf` for alternatives, which
 * need not exclude each other. That null is the same as absent is not said at each field.
 */
function inOurStyle(value: object): JsonSchema {
  const { examples, nullable: _nullable, required, oneOf, properties, default: preset, ...rest } = value as JsonSchema;
  const [example] = Array.isArray(examples) ? (examples as unknown[]) : [];
  return {
    ...membersInOurStyle(rest),
    ...(properties !== undefined && { properties: membersInOurStyle(properties as JsonSchema) }),
    ...(oneOf !== undefined && { anyOf: partInOurStyle(oneOf) }),
    ...(Array.isArray(required) && required.length > 0 && { required: required as unknown }),
    ...(preset !== undefined && preset !== null && { default: preset }),
    ...(rest.type === 'number' && { format: 'double' }),
    ...(example !== undefined && { example }),
  };
}

function membersInOurStyle(members: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, partInOurStyle(member)]));
}

function partInOurStyle(part: unknown): unknown {
  if (Array.isArray(part)) {
    return part.map(partInOurStyle);
  }
  return typeof part === 'object' && part !== null ? inOurStyle(part) : part;
}
