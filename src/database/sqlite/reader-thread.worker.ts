import { parentPort, workerData } from 'node:worker_threads';
import Libsql from 'libsql';

/* The thread of `ReaderThread`: runs one statement after another, on a read-only connection. */

/** Selects the rows whose second column matches, one for each value of the first column. */
export interface RowFilter {
  /** Compiled with the flag `u`. */
  pattern: string;
  /** A pattern of text that is removed before the comparison. */
  dropped: string;
  /** How much text around the match to return, in UTF-16 code units. Absent: no text. */
  around?: { before: number; after: number };
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
  return filter ? matching(rows as Iterable<SearchedRow>, filter) : [...rows];
}

type SearchedRow = [key: unknown, text: string, ...others: unknown[]];

/** The first matching row of each key, with the text around the match instead of the text. */
function matching(rows: Iterable<SearchedRow>, { pattern, dropped, around }: RowFilter): unknown[] {
  const expression = new RegExp(pattern, 'u');
  const outside = new RegExp(dropped, 'gu');
  const found = new Map<unknown, SearchedRow>();
  for (const [key, text, ...others] of rows) {
    const index = found.has(key) ? -1 : text.replace(outside, '').search(expression);
    if (index >= 0) {
      const place = around ? indexWithDropped(text, outside, index) : 0;
      found.set(key, [
        key,
        around ? text.slice(Math.max(0, place - around.before), place + around.after) : '',
        ...others,
      ]);
    }
  }
  return [...found.values()];
}

/** The place in a text of an index in the text without its dropped parts. */
function indexWithDropped(text: string, outside: RegExp, index: number): number {
  let place = index;
  for (const { index: start, 0: dropped } of text.matchAll(outside)) {
    if (start > place) {
      break;
    }
    place += dropped.length;
  }
  return place;
}
