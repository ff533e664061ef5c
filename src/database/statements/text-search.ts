import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { certainPart, DOTTED_I, textForms, toGlobs, toRegularExpression } from '../../common/text/text-pattern';
import { isSqlite } from '../connection/dialect';
import type { Database } from '../database';
import type { RowFilter } from '../sqlite/reader-thread.worker';
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
 * The different keys of the rows that contain a text, by the rules of `matchesText`. It may take long, and nobody waits for
 * it but the caller and other searches: a server searches itself, and for SQLite a thread does. There expressions of
 * JavaScript find the text, because GLOB and LIKE compare the whole text again at each letter: with a text made for it they
 * take a second for one message, and the expressions some milliseconds.
 */
export async function keysWithText(
  database: Database,
  { key, column, rows, parameters }: TextSource,
  text: string,
): Promise<number[]> {
  const part = certainPart(text);
  if (database.isShared) {
    const condition = textCondition(column, text, false);
    const statement = `SELECT DISTINCT ${key} AS found FROM ${rows} AND ${condition.sql}`;
    const found = await database.manager.query<{ found: number }[]>(statement, [
      ...parameters,
      ...condition.parameters,
    ]);
    return found.map((row) => row.found);
  }
  const hasPart = part === undefined ? '' : `AND INSTR(LOWER(${column}), ?)`;
  return database.readOnThread<number>({
    statement: `SELECT ${key}, ${column} FROM ${rows} ${hasPart}`,
    parameters: part === undefined ? parameters : [...parameters, part],
    filter: rowFilter(text),
  });
}

/**
 * A condition that is true when a column contains a text. It ignores case, finds composed and separate accents, and
 * treats `ß` as `ss`. Databases have different rules for scripts. So they compare code points only, and the patterns,
 * which are the same for each database, say which of them are the same letter.
 *
 * @param column also gives the parameters their names
 * @param text without white space around it
 * @param query gets the parameters of the condition
 */
export function matchesText<Entity extends ObjectLiteral>(
  column: string,
  text: string,
  query: SelectQueryBuilder<Entity>,
): string {
  const { sql, parameters } = textCondition(column, text, isSqlite(query.dataSource.manager));
  const name = column.replace(/\W/g, '_');
  let index = 0;
  return sql.replaceAll('?', () => {
    query.setParameter(`${name}_${index}`, parameters[index]);
    return `:${name}_${index++}`;
  });
}

/** The condition of `matchesText` for the rows of one table. */
export function containsText(manager: EntityManager, column: string, text: string): RowCondition {
  const { sql, parameters } = textCondition(column, text, isSqlite(manager));
  return { condition: sql, parameters };
}

function textCondition(column: string, text: string, isOnSqlite: boolean): { sql: string; parameters: string[] } {
  const searched = hasI(text) ? `REPLACE(LOWER(${column}), '${DOTTED_I}', 'i')` : `LOWER(${column})`;
  const patterns = textForms(text).flatMap((form) => (isOnSqlite ? toGlobs(form) : [toRegularExpression(form)]));
  const anyForm = `(${patterns.map(() => `${searched} ${isOnSqlite ? 'GLOB' : 'REGEXP'} ?`).join(' OR ')})`;
  const part = certainPart(text);
  if (part === undefined) {
    return { sql: anyForm, parameters: patterns };
  }
  // Most rows do not contain this part, and this test is the fastest.
  const hasPart = `LOWER(${column}) LIKE ? ESCAPE '!'`;
  const likePart = `%${part.replace(/[%_!]/g, '!$&')}%`;
  return part === text.toLowerCase()
    ? { sql: `(${hasPart})`, parameters: [likePart] }
    : { sql: `(${hasPart} AND ${anyForm})`, parameters: [likePart, ...patterns] };
}

function rowFilter(text: string): RowFilter {
  return {
    pattern: textForms(text).map(toRegularExpression).join('|'),
    replaced: hasI(text) ? [DOTTED_I, 'i'] : null,
  };
}

function hasI(text: string): boolean {
  return /[iıİ]/i.test(text);
}
