import type { PoolConnection } from 'mysql2';
import { addStatements, SILENCE } from './connection-statements';

type Answer = (error: { code: string } | null) => void;

describe('statements on a connection', () => {
  it("fail once: the driver's limit for a lost connection does not mean an unresponsive server", () => {
    const query = (_options: object, done: Answer): void =>
      ['PROTOCOL_CONNECTION_LOST', SILENCE].forEach((code) => done({ code }));
    const connection = { query, format: (sql: string) => sql } as Partial<PoolConnection> as PoolConnection;
    const onFailure = jest.fn();
    const done = jest.fn();
    addStatements(connection, onFailure);
    connection.query('SELECT 1', done);
    expect(onFailure.mock.calls).toEqual([[{ code: 'PROTOCOL_CONNECTION_LOST' }]]);
    expect(done).toHaveBeenCalledTimes(1);
  });
});
