import type { FieldFault } from '../errors/validation.errors';

/**
 * Finds the first thing in a parsed JSON value that cannot be stored and given back: NUL, which databases cut at, lone
 * surrogates, which are no Unicode text, and numbers too large for JSON to be written again. Null when all is well.
 *
 * @param root not nested deeply
 */
export function findMalformed(root: unknown, rootField = 'body'): FieldFault | null {
  const find = (value: unknown, field: string, depth: number): FieldFault | null => {
    if (typeof value === 'string' || typeof value === 'number') {
      return isWellFormed(value) ? null : { field, reason: 'not_well_formed' };
    }
    if (typeof value !== 'object' || value === null) {
      return null;
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

function isWellFormed(value: string | number): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : !value.includes('\0') && value.isWellFormed();
}
