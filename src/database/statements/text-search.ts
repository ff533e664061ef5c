import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { DROPPED_MARKS } from '../../common/text/folding';
import { textPattern } from '../../common/text/text-pattern';
import { isSqlite } from '../connection/dialect';
import type { Database } from '../database';
import type { RowCondition } from './row-condition';

/** Where to search for a text, as parts of a statement. */
export interface TextSource {
  /** The column to return: whole numbers. */
  key: string;
  /** The column to search. */
  column: string;
  /** The text between `FROM` and the condition, with its own `WHERE` and with `?` for each of the parameters. */
  rows: string;
  parameters: (number | string)[];
}

/**
 * The distinct keys of the rows that contain a text, by the rules of `matchesText`. It may be slow, and only the caller
 * and other searches wait for it: a server searches itself, and for SQLite a thread does. On SQLite, JavaScript
 * searches the text, because SQLite's own expressions can take a second for one maliciously crafted message.
 */
export async function keysWithText(
  database: Database,
  { key, column, rows, parameters }: TextSource,
  text: string,
): Promise<number[]> {
  if (database.isShared) {
    const { condition, parameters: patterns } = containsText(database.manager, column, text);
    const statement = `SELECT DISTINCT ${key} AS found FROM ${rows} AND ${condition}`;
    const found = await database.manager.query<{ found: number }[]>(statement, [...parameters, ...patterns]);
    return found.map((row) => row.found);
  }
  return database.readOnThread<number>({
    statement: `SELECT ${key}, ${column} FROM ${rows}`,
    parameters,
    filter: { pattern: textPattern(text), dropped: `[${DROPPED_MARKS}]+` },
  });
}

/**
 * A condition that is true if a column contains a text, with both folded as by `foldText`. Databases have different
 * rules for scripts. They therefore compare only code points, and the pattern, which is the same for each database,
 * lists equivalent letters.
 *
 * @param column also names the parameter
 * @param text without white space around it
 * @param query receives the parameter of the condition
 */
export function matchesText<Entity extends ObjectLiteral>(
  column: string,
  text: string,
  query: SelectQueryBuilder<Entity>,
): string {
  const name = `${column.replace(/\W/g, '_')}_pattern`;
  query.setParameter(name, databasePattern(query.dataSource.manager, text));
  return `${column} REGEXP :${name}`;
}

/** The condition of `matchesText` for the rows of one table. */
export function containsText(manager: EntityManager, column: string, text: string): RowCondition {
  return { condition: `${column} REGEXP ?`, parameters: [databasePattern(manager, text)] };
}

function databasePattern(manager: EntityManager, text: string): string {
  // SQLite supports neither properties nor these groups, which an escaped text never contains. Servers are slow with
  // long classes.
  return isSqlite(manager)
    ? textPattern(text, `[${DROPPED_MARKS}]*`).replaceAll('(?:', '(')
    : textPattern(text, '\\p{M}*');
}
