import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  /** An example of the whole object. It does not fit a class with more fields. */
  example?: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
  allOf?: unknown[];
}

/**
 * Replaces the inherited fields of a schema by a reference to the schema that declares them. The generator repeats the
 * fields of a class in each subclass.
 */
export function inheritSchemas(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const originals = Object.entries(structuredClone(schemas));
  for (const [name, whole] of originals) {
    const [base] = originals
      .filter(([, candidate]) => isPartOf(candidate, whole))
      .sort(([, one], [, other]) => fieldsOf(other).length - fieldsOf(one).length);
    const schema = schemas[name];
    if (base && schema) {
      inherit(schema, base);
    }
  }
}

/** Whether `whole` has every field of `part`, and more. */
function isPartOf(part: Schema, whole: Schema): boolean {
  const fields = fieldsOf(part);
  return (
    fields.length > 0 &&
    part.example === undefined &&
    fields.length < fieldsOf(whole).length &&
    fields.every((field) => isSame(part.properties?.[field], whole.properties?.[field])) &&
    (part.required ?? []).every((field) => whole.required?.includes(field))
  );
}

function inherit(schema: Schema, [name, { properties = {}, required = [] }]: [string, Schema]): void {
  const own = Object.entries(schema.properties ?? {}).filter(([field]) => !(field in properties));
  const ownRequired = schema.required?.filter((field) => !required.includes(field)) ?? [];
  delete schema.required;
  schema.properties = Object.fromEntries(own);
  schema.allOf = [{ $ref: `#/components/schemas/${name}` }];
  if (ownRequired.length > 0) {
    schema.required = ownRequired;
  }
}

function fieldsOf({ properties }: Schema): string[] {
  return Object.keys(properties ?? {});
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
