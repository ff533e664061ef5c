import { FieldFault } from '../errors/validation.errors';

/** Deepest nesting of a body; deeper ones serve nobody but attackers. */
const DEEPEST = 32;

/**
 * Finds the first text in a parsed JSON value that cannot be stored and answered unchanged: NUL, which databases cut
 * at, and lone surrogates, which are no Unicode text. Null when all is well.
 */
export function findMalformed(value: unknown, field = 'body', depth = 0): FieldFault | null {
  if (typeof value === 'string') {
    return isWellFormed(value) ? null : { field, reason: 'not_well_formed' };
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  if (depth >= DEEPEST) {
    return { field: 'body', reason: 'nested_too_deeply' };
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isWellFormed(key)) {
      return { field, reason: 'not_well_formed' };
    }
    const fault = findMalformed(child, depth === 0 ? key : `${field}.${key}`, depth + 1);
    if (fault) {
      return fault;
    }
  }
  return null;
}

function isWellFormed(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
