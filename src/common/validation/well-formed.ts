import { type FieldFault, ValidationFailedError } from '../errors/validation.errors';

/**
 * Finds the first part of a parsed JSON value that cannot be stored and returned: NUL, where databases cut a text; lone
 * surrogates, which are not Unicode text; numbers that are too large for JSON. Null when there is no fault.
 *
 * @param root a value without deep nesting
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

/** @param body a value without deep nesting @throws ValidationFailedError for the first part that `findMalformed` finds */
export function requireWellFormed(body: unknown): void {
  const malformed = findMalformed(body);
  if (malformed !== null) {
    throw new ValidationFailedError([malformed]);
  }
}

function isWellFormed(value: string | number): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : !value.includes('\0') && value.isWellFormed();
}
