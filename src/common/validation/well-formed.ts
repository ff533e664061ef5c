import { type FieldFault, ValidationFailedError } from '../errors/validation.errors';

/**
 * Finds the first part of a parsed JSON value that cannot be stored and returned: NUL, at which databases cut a text;
 * lone surrogates, which are not Unicode text; numbers that are too large for JSON. Null if there is no fault.
 *
 * @param root a value without deep nesting
 */
export function findMalformed(root: unknown, rootField = 'body'): FieldFault | null {
  const path = pathToMalformed(root);
  return path && { field: path.reverse().join('.') || rootField, reason: 'not_well_formed' };
}

/**
 * From the value outwards; empty: it is the root. The path is built only for a fault, because most values have none.
 */
function pathToMalformed(value: unknown): (string | number)[] | null {
  if (typeof value === 'string' || typeof value === 'number') {
    return isWellFormed(value) ? null : [];
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const keys = Array.isArray(value) ? null : Object.keys(value);
  const members = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  for (let index = 0; index < members.length; index++) {
    if (keys !== null && !isWellFormed(keys[index] as string)) {
      return [];
    }
    const path = pathToMalformed(members[index]);
    if (path !== null) {
      path.push(keys?.[index] ?? index);
      return path;
    }
  }
  return null;
}

/** @param body a value without deep nesting @throws ValidationFailedError for the first fault of `findMalformed` */
export function requireWellFormed(body: unknown): void {
  const malformed = findMalformed(body);
  if (malformed !== null) {
    throw new ValidationFailedError([malformed]);
  }
}

function isWellFormed(value: string | number): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : !value.includes('\0') && value.isWellFormed();
}
