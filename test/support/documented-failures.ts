import { type ApiDocument, target } from './dereference';

interface Schema {
  $ref?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  examples?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
}

/** A code of a response with failures, and the schema of its body. */
export interface DocumentedFailure {
  code: string;
  /** What differs from the bodies of other failures in the member `error`. */
  error: Record<string, Schema>;
}

/** The failures that a response, with its own parts in their places, can have. */
export function failuresOf(document: ApiDocument, response: unknown): DocumentedFailure[] {
  const { content } = response as { content?: Record<string, { schema?: Schema }> };
  const schema = content?.['application/json']?.schema;
  return (schema?.anyOf ?? (schema ? [schema] : [])).flatMap(({ $ref }) => {
    const { allOf = [] } = ($ref === undefined ? {} : target(document, $ref)) as Schema;
    const error = allOf.find(({ properties }) => properties?.error)?.properties?.error?.properties;
    const code = error?.code?.const;
    return error !== undefined && typeof code === 'string' ? [{ code, error }] : [];
  });
}
