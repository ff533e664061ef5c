import { parentPort, workerData } from 'node:worker_threads';
import Libsql from 'libsql';

/* The thread of `ReaderThread`: runs one statement after another, on a read-only connection. */

/** Selects the rows whose second column matches. Only their first columns are returned. */
export interface RowFilter {
  /** Compiled with the flag `u`. */
  pattern: string;
  /** A pattern of text that is removed before the comparison. */
  dropped: string;
}

export interface ReaderStatement {
  statement: string;
  parameters: unknown[];
  filter?: RowFilter;
}

/** The rows, or the message of the failure. */
export type ReaderAnswer = { rows: unknown[] } | { error: string };

const connection = new Libsql(workerData as string);
connection.pragma('query_only = ON');

parentPort?.on('message', (statement: ReaderStatement) => {
  parentPort?.postMessage(answerTo(statement));
});

function answerTo(statement: ReaderStatement): ReaderAnswer {
  try {
    return { rows: read(statement) };
  } catch (error) {
    return { error: String(error) };
  }
}

function read({ statement, parameters, filter }: ReaderStatement): unknown[] {
  const rows = connection
    .prepare(statement)
    .raw()
    .iterate(...parameters);
  return filter ? matching(rows as Iterable<[key: unknown, text: string]>, filter) : [...rows];
}

function matching(rows: Iterable<[key: unknown, text: string]>, { pattern, dropped }: RowFilter): unknown[] {
  const expression = new RegExp(pattern, 'u');
  const outside = new RegExp(dropped, 'gu');
  const found = new Set<unknown>();
  for (const [key, text] of rows) {
    if (!found.has(key) && expression.test(text.replace(outside, ''))) {
      found.add(key);
    }
  }
  return [...found];
}
