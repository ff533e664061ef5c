import { FieldFault } from '../errors/validation.errors';

/** Deepest nesting of a body; deeper ones serve nobody but attackers. */
const DEEPEST = 32;

/** Most values in a body, those within lists and objects included: copying and checking each takes about a microsecond. */
const MOST_VALUES = 30_000;

/** Most members of an object: class-transformer compares the name of each with all others. */
const MOST_MEMBERS = 1_000;

/**
 * Finds the first thing in a parsed JSON value that cannot be worked with: NUL, which databases cut at, and lone
 * surrogates, which are no Unicode text; and more nesting, members or values than the service has time for. Null when all
 * is well.
 */
export function findMalformed(root: unknown, rootField = 'body'): FieldFault | null {
  let values = 0;
  const find = (value: unknown, field: string, depth: number): FieldFault | null => {
    if (typeof value === 'string') {
      return isWellFormed(value) ? null : { field, reason: 'not_well_formed' };
    }
    if (typeof value !== 'object' || value === null) {
      return null;
    }
    if (depth >= DEEPEST) {
      return { field: rootField, reason: 'nested_too_deeply' };
    }
    const size = Array.isArray(value) ? value.length : Object.keys(value).length;
    values += size;
    if (values > MOST_VALUES) {
      return tooMany(rootField, MOST_VALUES);
    }
    if (!Array.isArray(value) && size > MOST_MEMBERS) {
      return tooMany(field, MOST_MEMBERS);
    }
    for (const [key, child] of Object.entries(value as Record<string, unknown>)) {
      if (!isWellFormed(key)) {
        return { field, reason: 'not_well_formed' };
      }
      const fault = find(child, depth === 0 ? key : `${field}.${key}`, depth + 1);
      if (fault) {
        return fault;
      }
    }
    return null;
  };
  return find(root, rootField, 0);
}

function tooMany(field: string, maximum: number): FieldFault {
  return { field, reason: 'too_many_items', values: { maximum } };
}

function isWellFormed(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
