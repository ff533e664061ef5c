import { type ApiDocument, target } from './dereference';

interface Schema {
  $ref?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  examples?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
}

/** The code of an error response, and the schema of its body. */
export interface DocumentedFailure {
  code: string;
  /** Differences from the bodies of other errors in the member `error`. */
  error: Record<string, Schema>;
}

/** The errors that a response, with inlined parts, can have. */
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
