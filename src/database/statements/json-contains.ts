import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/** A condition that is true if a `JsonColumn` with an array of texts contains its parameter as an exact element. */
export function jsonContains(manager: EntityManager, column: string): string {
  return isSqlite(manager)
    ? `EXISTS (SELECT 1 FROM json_each(${column}) element WHERE element.value = ?)`
    : `JSON_CONTAINS(${column}, JSON_QUOTE(?))`;
}
