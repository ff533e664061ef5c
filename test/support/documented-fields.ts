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

/** The fields of a schema, and of each form that it may have. */
export function membersOf({ properties = {}, allOf = [], anyOf = [], oneOf = [] }: Schema): [string, Schema][] {
  return [...Object.entries(properties), ...[...allOf, ...anyOf, ...oneOf].flatMap(membersOf)];
}

/** Whether a reader learns in words what the field is, there or at the schema that it names. One value says all by itself. */
export function isDescribed(document: ApiDocument, { $ref, description, const: only }: Schema): boolean {
  const isHere = description !== undefined && description !== '';
  return (
    isHere || only !== undefined || ($ref !== undefined && isDescribed(document, target(document, $ref) as Schema))
  );
}
