import type { EntityManager } from 'typeorm';
import { runStatement } from '../../../database/statements/run-statement';

/** Counting stops here, because a server counts a large table for seconds. */
const MOST_ROWS = 1_000_000;

const MOST_FAILURES = 10_000;

/** Runs a read and returns the rows as arrays. */
export type Read = (statement: string, parameters: readonly Date[]) => Promise<unknown[][]>;

/** On the connection of a command. The service reads on a thread. */
export function readWith(manager: EntityManager): Read {
  return async (statement, parameters) => (await runStatement(manager, statement, parameters)).rows;
}

/** Rows by table, counted up to a million. */
export async function countTables(read: Read, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...tables].sort()) {
    const [row] = await read(`SELECT COUNT(*) FROM (SELECT 1 FROM ${table} LIMIT ${MOST_ROWS}) counted`, []);
    counts[table] = Number(row?.[0]);
  }
  return counts;
}

/** The migrations that the database has run, in their order. */
export async function listMigrations(read: Read): Promise<{ name: string }[]> {
  const rows = await read('SELECT name FROM migrations ORDER BY id', []);
  return rows.map(([name]) => ({ name: String(name) }));
}

/** Failed replies since a time, by hour, model and code. */
export async function countFailures(read: Read, since: Date): Promise<object[]> {
  const rows = await read(
    `SELECT SUBSTR(failed_at, 1, 13) AS hour, model, code, COUNT(*) AS count FROM failed_replies
     WHERE failed_at >= ? GROUP BY SUBSTR(failed_at, 1, 13), model, code ORDER BY hour LIMIT ${MOST_FAILURES}`,
    [since],
  );
  return rows.map(([hour, model, code, count]) => ({
    hour: `${String(hour).replace(' ', 'T')}:00:00.000Z`,
    model,
    code,
    count: Number(count),
  }));
}
