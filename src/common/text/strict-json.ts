/** A key before its colon, any other text, or a bracket of JSON. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** Parsers disagree on which of the two members counts. */
export class DuplicateKeyError extends SyntaxError {
  override readonly name = 'DuplicateKeyError';

  constructor() {
    super('An object has the same key twice.');
  }
}

/** Parses JSON that all parsers read alike. @throws SyntaxError; DuplicateKeyError if an object has a key twice */
export function parseStrictJson(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const open: (Set<string> | null)[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (text !== undefined && colon !== undefined) {
      const key = JSON.parse(text) as string;
      if (open.at(-1)?.has(key)) {
        throw new DuplicateKeyError();
      }
      open.at(-1)?.add(key);
    }
  }
  return value;
}

/**
 * The path of a number in a JSON value that may differ from the one in the text: an integer beyond ±(2^53 − 1); null:
 * there is none.
 *
 * @returns such as `items.0.id`; empty: the value itself
 */
export function inexactIntegerIn(value: unknown): string | null {
  if (typeof value === 'number') {
    return Math.abs(value) > Number.MAX_SAFE_INTEGER ? '' : null;
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [name, member] of Object.entries(value)) {
    const path = inexactIntegerIn(member);
    if (path !== null) {
      return path === '' ? name : `${name}.${path}`;
    }
  }
  return null;
}
