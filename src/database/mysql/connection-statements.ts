import { LRUCache } from 'lru-cache';
import type * as mysql2 from 'mysql2';

export type Done = (error: NodeJS.ErrnoException | null, ...rest: unknown[]) => void;
type Send = (...parameters: unknown[]) => unknown;

/** The driver's code for a statement that was not answered in time. */
export const SILENCE = 'PROTOCOL_SEQUENCE_TIMEOUT';

/** Most prepared statements of a connection. */
const MOST_PREPARED = 200;

/** A connection for transactions. */
export interface TransactionConnection extends mysql2.PoolConnection {
  /**
   * Sends two or more statements in one packet, with one round trip for all. They run in order, up to the first that
   * fails; `done` gets the results of all.
   */
  sendTogether(
    statements: readonly Pick<mysql2.QueryOptions, 'sql' | 'values'>[],
    timeout: number | undefined,
    done: Done,
  ): void;
}

/**
 * Adds to a connection statements of `execute` that are prepared once, of which the most used are cached, and
 * statements that share a packet. Rows of `query` are objects, all others arrays.
 *
 * @param onFailure called if a statement fails or is not answered in time, before its caller gets the error
 *
 * @borrowed mysql2-pool
 */
export function addStatements(connection: mysql2.PoolConnection, onFailure: (error: { code?: string }) => void): void {
  const query = connection.query.bind(connection) as Send;
  // A server allows some thousands of them, for the connections of all instances together.
  const prepared = new LRUCache<string, mysql2.PrepareStatementInfo>({
    max: MOST_PREPARED,
    dispose: (_statement, sql, reason) => reason === 'evict' && connection.unprepare(sql),
  });
  const reporting = (done: Done): Done => callOnce(done, onFailure);
  const sendTogether: TransactionConnection['sendTogether'] = (statements, timeout, done) => {
    const sql = statements.map((each) => connection.format(each.sql, each.values)).join(';\n');
    // Without `values: null` the driver searches for placeholders again.
    query({ sql, values: null, timeout, rowsAsArray: true }, reporting(done));
  };
  Object.assign(connection, {
    sendTogether,
    query: (statement: string | mysql2.QueryOptions, ...rest: unknown[]) => {
      const options = typeof statement === 'string' ? { sql: statement } : statement;
      const done = rest.at(-1) as Done;
      // TypeORM expects objects. Only a setting of the connection makes rows of prepared statements arrays.
      const asObjects = { ...options, rowsAsArray: false };
      return typeof done === 'function'
        ? query(asObjects, ...rest.slice(0, -1), reporting(done))
        : query(asObjects, ...rest);
    },
    // The driver's own `execute` finds a statement by a text that it builds each time, and queues two commands. That
    // doubles the work.
    execute: ({ sql, values, timeout }: mysql2.QueryOptions, done: Done) => {
      // The driver does not limit the time to prepare a statement, so the time counts from here.
      const timer = timeout === undefined ? undefined : setTimeout(onFailure, timeout, { code: SILENCE });
      const finish = reporting((error, ...results) => {
        clearTimeout(timer);
        done(error, ...results);
      });
      const statement = prepared.get(sql);
      if (statement !== undefined) {
        statement.execute(values, finish);
        return;
      }
      connection.prepare(sql, (error, made) => {
        if (error) {
          finish(error);
        } else {
          prepared.set(sql, made);
          made.execute(values, finish);
        }
      });
    },
  });
}

/** A callback that runs once, after a failure was reported. */
function callOnce(done: Done, onFailure: (error: { code?: string }) => void): Done {
  let isCalled = false;
  return (error, ...results) => {
    if (isCalled) {
      // The driver's time limit of a statement continues after its connection is lost. It does not mean a silent server
      // then.
      return;
    }
    isCalled = true;
    if (error) {
      onFailure(error);
    }
    done(error, ...results);
  };
}
