import { type ApiDocument, target } from './dereference';

interface Schema {
  $ref?: string;
  description?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** The fields of a schema, and of each of its alternatives. */
export function membersOf({ properties = {}, allOf = [], anyOf = [], oneOf = [] }: Schema): [string, Schema][] {
  return [...Object.entries(properties), ...[...allOf, ...anyOf, ...oneOf].flatMap(membersOf)];
}

/**
 * Whether the field is described in words, in place or at the schema that it references. A single constant value needs
 * no description.
 */
export function isDescribed(document: ApiDocument, { $ref, description, const: only }: Schema): boolean {
  const isHere = description !== undefined && description !== '';
  return (
    isHere || only !== undefined || ($ref !== undefined && isDescribed(document, target(document, $ref) as Schema))
  );
}
