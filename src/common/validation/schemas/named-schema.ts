import type { GenericSchema } from 'valibot';

/** A schema that has a name in the OpenAPI document. Other schemas that have it inside refer to it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: GenericSchema;
  /** What the service answers is only documented by its schema, and typed by it, but not checked. */
  readonly isAnswer: boolean;
}

/** A schema of requests. The module names it in `@Feature({ schemas })`. */
export function namedSchema(name: string, schema: GenericSchema): NamedSchema {
  return { name, schema, isAnswer: false };
}

/** The same for what the service answers. */
export function namedAnswer(name: string, schema: GenericSchema): NamedSchema {
  return { name, schema, isAnswer: true };
}

/** Where the OpenAPI document has the schema. */
export function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Stands in the documentation of a route for the schema. */
export function referenceTo({ name }: NamedSchema): { $ref: string } {
  return { $ref: schemaPath(name) };
}
