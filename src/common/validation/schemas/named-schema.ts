import type { GenericSchema } from 'valibot';

/** A schema with a name in the OpenAPI document. Other schemas that contain it refer to it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: GenericSchema;
  /** Responses are only documented and typed by their schema, and not validated. */
  readonly isAnswer: boolean;
}

/** A schema of requests. The module names it in `@Feature({ schemas })`. */
export function namedSchema(name: string, schema: GenericSchema): NamedSchema {
  return { name, schema, isAnswer: false };
}

/** A schema of responses. The module names it in `@Feature({ schemas })`. */
export function namedAnswer(name: string, schema: GenericSchema): NamedSchema {
  return { name, schema, isAnswer: true };
}

/** The path of the schema in the OpenAPI document. */
export function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

/** A reference to the schema, for the documentation of a route. */
export function referenceTo({ name }: NamedSchema): { $ref: string } {
  return { $ref: schemaPath(name) };
}
