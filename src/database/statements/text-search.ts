import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { DROPPED_MARKS } from '../../common/text/folding';
import { textPattern } from '../../common/text/text-pattern';
import { isSqlite } from '../connection/dialect';
import type { Database } from '../database';
import type { RowCondition } from './row-condition';

/** Where to search for a text, as parts of a statement. */
export interface TextSource {
  /** The column that is given back: whole numbers. */
  key: string;
  /** The column that is searched. */
  column: string;
  /** What stands between `FROM` and the condition, with its own `WHERE` and with `?` for each of the parameters. */
  rows: string;
  parameters: (number | string)[];
}

/**
 * The different keys of the rows that contain a text, by the rules of `matchesText`. It may take long, and only the caller and
 * other searches wait for it: a server searches itself, and for SQLite a thread does. There JavaScript finds the text, because
 * SQLite's own expressions take a second for one message with a text that is made for it.
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
 * A condition that is true when a column contains a text, as `foldText` folds both. Databases have different rules for scripts.
 * So they compare code points only, and the pattern, which is the same for each database, says which of them are the same letter.
 *
 * @param column also gives the parameter its name
 * @param text without white space around it
 * @param query gets the parameter of the condition
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
  // SQLite knows neither properties nor these groups, which no text has unescaped. Servers are slow in long classes.
  return isSqlite(manager)
    ? textPattern(text, `[${DROPPED_MARKS}]*`).replaceAll('(?:', '(')
    : textPattern(text, '\\p{M}*');
}
