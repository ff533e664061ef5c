import { Worker } from 'node:worker_threads';

/** Which of the rows count: those whose second column matches. Only their first columns are given back. */
export interface RowFilter {
  /** For the letters of ASCII small, and compiled with the flag `u`. */
  pattern: string;
  /** What is replaced in the text before, by what. */
  replaced: [string, string] | null;
}

export interface ReaderStatement {
  statement: string;
  parameters: unknown[];
  filter?: RowFilter;
}

interface Answer {
  rows?: unknown[];
  error?: string;
}

/**
 * Runs statements that may take long on a connection of its own to a SQLite file, in a thread that starts with the first
 * of them: the event loop waits for none. It runs one after another, so callers make their statements short and take turns.
 */
export class ReaderThread {
  private worker: Worker | null = null;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** The rows, each as an array of its columns; with a filter the different first columns of those that match. */
  read(statement: ReaderStatement): Promise<unknown[]> {
    return this.inTurn(() => this.ask(statement));
  }

  /** Runs `task` while no statement runs: a statement that reads the log keeps it from being emptied. */
  whileIdle<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.inTurn(task);
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.tail.then(task);
    this.tail = result.catch(() => undefined);
    return result;
  }

  private ask(statement: ReaderStatement): Promise<unknown[]> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('The thread that reads the database ended.'));
      worker.once('exit', fail);
      worker.once('message', ({ rows, error }: Answer) => {
        worker.off('exit', fail);
        return rows ? resolve(rows) : reject(new Error(error));
      });
      worker.postMessage(statement);
    });
  }

  private start(): Worker {
    // Code that is given as text has no folder of its own, so it cannot find the package.
    const workerData = { driver: require.resolve('libsql'), file: this.file };
    const worker = new Worker(SOURCE, { eval: true, workerData });
    worker.unref();
    // An error ends the thread, and `exit` tells whoever waits; the next statement starts another one.
    worker.on('error', () => undefined);
    worker.once('exit', () => (this.worker = null));
    return worker;
  }
}

/** What the thread runs, as text: a worker cannot load a TypeScript file, which this is in the tests. */
const SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const Libsql = require(workerData.driver);
const connection = new Libsql(workerData.file);
connection.pragma('query_only = ON');

function matching(rows, { pattern, replaced }) {
  const expression = new RegExp(pattern, 'u');
  const found = new Set();
  for (const [key, text] of rows) {
    if (!found.has(key)) {
      const small = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      if (expression.test(replaced ? small.replaceAll(...replaced) : small)) {
        found.add(key);
      }
    }
  }
  return [...found];
}

function read({ statement, parameters, filter }) {
  const prepared = connection.prepare(statement);
  prepared.raw();
  const rows = prepared.iterate(...parameters);
  return filter ? matching(rows, filter) : [...rows];
}

parentPort.on('message', (statement) => {
  try {
    parentPort.postMessage({ rows: read(statement) });
  } catch (error) {
    parentPort.postMessage({ error: String(error) });
  }
});
`;
