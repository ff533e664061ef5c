import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { DROPPED_MARKS } from '../../common/text/folding';
import { textPattern } from '../../common/text/text-pattern';
import { isSqlite } from '../connection/dialect';
import type { Database } from '../database';
import type { RowFilter } from '../sqlite/reader-thread.worker';
import { readRows } from './long-reads';
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
export async function keysWithText(database: Database, source: TextSource, text: string): Promise<number[]> {
  const { key, column, rows, parameters } = source;
  if (database.isShared) {
    const { condition, parameters: patterns } = containsText(database.manager, column, text);
    const statement = `SELECT DISTINCT ${key} FROM ${rows} AND ${condition}`;
    return (await readRows(database, statement, [...parameters, ...patterns])).map(([found]) => Number(found));
  }
  const statement = `SELECT ${key}, ${column} FROM ${rows}`;
  const found = await database.readOnThread<[number]>({ statement, parameters, filter: filterOf(text) });
  return found.map(([value]) => value);
}

/**
 * Like `keysWithText`, with the ID of a row that contains the text.
 *
 * @param id the column of the ID
 */
export async function idsWithText(
  database: Database,
  { key, column, rows, parameters }: TextSource,
  id: string,
  text: string,
): Promise<[key: number, id: number][]> {
  if (database.isShared) {
    const { condition, parameters: patterns } = containsText(database.manager, column, text);
    const statement = `SELECT ${key}, MAX(${id}) FROM ${rows} AND ${condition} GROUP BY ${key}`;
    const found = await readRows(database, statement, [...parameters, ...patterns]);
    return found.map(([value, last]) => [Number(value), Number(last)]);
  }
  const statement = `SELECT ${key}, ${column}, ${id} FROM ${rows}`;
  const found = await database.readOnThread<[number, string, number]>({
    statement,
    parameters,
    filter: filterOf(text),
  });
  return found.map(([value, , first]) => [value, first]);
}

/** How much of a text around a match is read. Code points on a server, UTF-16 code units on SQLite. */
const AROUND = { before: 150, after: 350 };

/**
 * The first match of a text in each row, with some hundred characters around it, by key. A key has one row. It reads
 * the columns like `keysWithText`. The texts may begin and end within a combining sequence, on SQLite also within a
 * surrogate pair.
 */
export async function textsAround(
  database: Database,
  { key, column, rows, parameters }: TextSource,
  text: string,
): Promise<Map<number, string>> {
  if (database.isShared) {
    const { condition, parameters: patterns } = containsText(database.manager, column, text);
    const start = `GREATEST(REGEXP_INSTR(${column}, ?) - ${AROUND.before}, 1)`;
    const around = `SUBSTRING(${column}, ${start}, ${AROUND.before + AROUND.after})`;
    const statement = `SELECT ${key}, ${around} FROM ${rows} AND ${condition}`;
    const found = await readRows(database, statement, [...patterns, ...parameters, ...patterns]);
    return new Map(found.map(([value, part]) => [Number(value), String(part)]));
  }
  const statement = `SELECT ${key}, ${column} FROM ${rows}`;
  const filter = { ...filterOf(text), around: AROUND };
  return new Map(await database.readOnThread<[number, string]>({ statement, parameters, filter }));
}

function filterOf(text: string): RowFilter {
  return { pattern: textPattern(text), dropped: `[${DROPPED_MARKS}]+` };
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
