import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';
import { dereference, target } from './dereference';

/** A schema reduced to its size limits. */
export interface LimitedSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  propertyNames?: LimitedSchema;
  items?: LimitedSchema;
  properties?: Record<string, LimitedSchema>;
  additionalProperties?: LimitedSchema | boolean;
  anyOf?: LimitedSchema[];
  oneOf?: LimitedSchema[];
  allOf?: LimitedSchema[];
  discriminator?: unknown;
}

/** A part of a request without a limit of length or number. */
export interface Unlimited {
  /** `POST /api/v1/chat` */
  operation: string;
  /** `body.parts[].text`, `query q`; `*` stands for members named by the client. */
  place: string;
  /**
   * The missing limit: `maxLength`, `maxItems`, `maxProperties`; `names` for members; or `anything`, if there is no
   * type.
   */
  lacks: 'maxLength' | 'maxItems' | 'maxProperties' | 'names' | 'anything';
}

interface Parameter {
  name: string;
  in: string;
  schema?: LimitedSchema;
}

/**
 * All unlimited parts of requests: in parameters, and in bodies of each media type. A type alone is not a limit, and
 * neither is a pattern or a format, from which readers would have to derive the length.
 */
export function unlimitedIn(document: OpenAPIObject): Unlimited[] {
  return operationsOf(dereference(document)).flatMap(({ path, method, operation }) => {
    const places = [
      ...((operation.parameters ?? []) as Parameter[]).map((one): [string, LimitedSchema | undefined] => [
        `${one.in} ${one.name}`,
        one.schema,
      ]),
      ...Object.values(contentOf(operation.requestBody)).map(({ schema }): [string, LimitedSchema | undefined] => [
        'body',
        schema,
      ]),
    ];
    const operationName = `${method.toUpperCase()} ${path}`;
    return places
      .flatMap(([place, schema]) => lacking(document, schema ?? {}, place, []))
      .map((found) => ({ operation: operationName, ...found }));
  });
}

type Found = Omit<Unlimited, 'operation'>;

/** @param above names of the schemas that contain this one: a recursive schema is visited once */
function lacking(document: OpenAPIObject, schema: LimitedSchema, place: string, above: string[]): Found[] {
  const { $ref } = schema;
  if ($ref !== undefined) {
    return above.includes($ref)
      ? []
      : lacking(document, target(document, $ref) as LimitedSchema, place, [...above, $ref]);
  }
  if (schema.const !== undefined || schema.enum !== undefined) return [];
  const below = (part: LimitedSchema, name: string): Found[] => lacking(document, part, `${place}${name}`, above);
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const types = [schema.type ?? []].flat();
  const isList = types.includes('array');
  const isObject = types.includes('object') || schema.properties !== undefined;
  const isFree = isObject && (schema.additionalProperties ?? schema.properties === undefined) !== false;
  const { additionalProperties: others } = schema;
  return [
    ...(types.length === 0 && parts.length === 0 && !isObject ? [{ place, lacks: 'anything' as const }] : []),
    ...(types.includes('string') && schema.maxLength === undefined ? [{ place, lacks: 'maxLength' as const }] : []),
    ...(isList && schema.maxItems === undefined ? [{ place, lacks: 'maxItems' as const }] : []),
    ...(isList ? below(schema.items ?? {}, '[]') : []),
    ...(isFree && hasOthers(schema) ? free(schema, place) : []),
    ...(isFree && hasOthers(schema) ? below(typeof others === 'object' ? others : {}, '.*') : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => below(part, `.${name}`)),
    ...parts.flatMap((part) => below(part, '')),
  ];
}

/** Members outside the schema are dropped, if it names some. */
function hasOthers({ additionalProperties, properties, allOf }: LimitedSchema): boolean {
  return additionalProperties !== undefined || (properties === undefined && allOf === undefined);
}

function free({ maxProperties, propertyNames, additionalProperties }: LimitedSchema, place: string): Found[] {
  // If members are unrestricted, so are their names: the whole value has a limit or none.
  const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  return [
    ...(maxProperties === undefined ? [{ place, lacks: 'maxProperties' as const }] : []),
    ...(isTyped && propertyNames?.maxLength === undefined ? [{ place, lacks: 'names' as const }] : []),
  ];
}

export function contentOf(requestBody: unknown): Record<string, { schema?: LimitedSchema }> {
  return (requestBody as { content?: Record<string, { schema?: LimitedSchema }> } | undefined)?.content ?? {};
}
