import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/**
 * A condition that is true when a `JsonColumn` with an array of texts has an element, letter by letter.
 *
 * @param text the placeholder of the wanted element
 */
export function jsonContains(manager: EntityManager, column: string, text: string): string {
  return isSqlite(manager)
    ? `EXISTS (SELECT 1 FROM json_each(${column}) element WHERE element.value = ${text})`
    : `JSON_CONTAINS(${column}, JSON_QUOTE(${text}))`;
}
