// @part rest: needs a database server
import type { PoolConnection } from 'mysql2';
import type { EntityManager } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { ServiceDataSource } from '../../src/database/connection/service-data-source';
import { Database } from '../../src/database/database';
import { DatabaseUnavailableError } from '../../src/database/database.errors';
import { runStatement } from '../../src/database/statements/run-statement';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import type { SqlServer } from '../support/servers/sql-server';

describeWithProgram('mariadbd', 'the connections to a database server', () => {
  let server: SqlServer;
  let source: ServiceDataSource;
  let database: Database;

  beforeAll(async () => {
    server = await startMariadbServer();
    const settings = connectionSettings(`${server.url}?pool=4`);
    source = new ServiceDataSource({ ...dataSourceOptions(settings, []), migrations: [] });
    database = new Database(source, settings);
    await database.onModuleInit();
    await database.whenReady();
    await database.write((manager) => manager.query('CREATE TABLE notes (id INT PRIMARY KEY, text VARCHAR(64))'));
  });

  beforeEach(async () => {
    await database.write((manager) => manager.query("REPLACE INTO notes (id, text) VALUES (1, 'before')"));
  });

  afterAll(async () => {
    await database.onApplicationShutdown();
    await server.stop();
  });

  const change = (manager: EntityManager, text: string) =>
    runStatement(manager, 'UPDATE notes SET text = ? WHERE id = 1', [text]);
  /** Reads through every connection in the pool, concurrently. */
  const readEverywhere = async () => {
    const reads = Array.from({ length: 8 }, () => runStatement(database.manager, 'SELECT text FROM notes', []));
    return new Set((await Promise.all(reads)).map(({ rows }) => rows[0]?.[0]));
  };
  const connectionOf = ({ queryRunner }: EntityManager) =>
    Reflect.get(queryRunner as object, 'databaseConnection') as PoolConnection;

  it('are closed if a transaction cannot be rolled back, so that no request reuses them', async () => {
    const refused = database.write(async (manager) => {
      await change(manager, 'never committed');
      const connection = connectionOf(manager);
      const query = connection.query.bind(connection) as (...parameters: unknown[]) => unknown;
      const refuseRollback = ({ sql }: { sql: string }, ...rest: unknown[]) =>
        sql === 'ROLLBACK'
          ? (rest.at(-1) as (error: Error) => void)(new Error('no rollback'))
          : query({ sql }, ...rest);
      Object.assign(connection, { query: refuseRollback });
      throw new Error('the work failed');
    });
    await expect(refused).rejects.toThrow('the work failed');
    expect(await readEverywhere()).toEqual(new Set(['before']));
    // The row is no longer locked, and a commit now does not contain the change.
    await Promise.all(Array.from({ length: 8 }, () => database.write((manager) => change(manager, 'after'))));
    expect(await readEverywhere()).toEqual(new Set(['after']));
  });

  it('may close during a transaction, which leaves nothing', async () => {
    const ended = database.write(async (manager) => {
      await change(manager, 'never committed');
      const { threadId } = connectionOf(manager);
      await source.query(`KILL ${threadId}`);
      await change(manager, 'on a dead connection');
    });
    await expect(ended).rejects.toThrow();
    expect(await readEverywhere()).toEqual(new Set(['before']));
    await database.write((manager) => change(manager, 'after'));
    expect(await readEverywhere()).toEqual(new Set(['after']));
  });

  it('of transactions are closed by the server when their instance is idle, so that no row stays locked', async () => {
    const waits = (manager: EntityManager) => runStatement(manager, 'SELECT @@wait_timeout', []);
    const { rows } = await database.write(waits);
    expect(Number(rows[0]?.[0])).toBe(30);
    expect(Number((await waits(database.manager)).rows[0]?.[0])).toBeGreaterThan(3_600);
  });

  it('of transactions are closed earlier when they are unused', async () => {
    const threads = () =>
      Promise.all([1, 2].map(() => database.write((manager) => Promise.resolve(connectionOf(manager).threadId))));
    const before = await threads();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    expect(await threads()).toEqual(expect.arrayContaining(before));
    const closings = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 20_000);
    timers.mockRestore();
    closings.forEach(([close]) => close());
    const after = await threads();
    expect(after.filter((id) => before.includes(id))).toEqual([]);
  });

  it('are as many as the operator allows, for reads and transactions together', async () => {
    const connected: number[] = [];
    const count = "SELECT COUNT(*) FROM information_schema.processlist WHERE command <> 'Daemon'";
    const work = Array.from({ length: 40 }, async (_element, index) => {
      if (index % 2 === 0) {
        await database.write((manager) => change(manager, `${index}`));
      }
      connected.push(Number((await runStatement(database.manager, count, [])).rows[0]?.[0]));
    });
    await Promise.all(work);
    expect(Math.max(...connected)).toBe(4);
  });

  it('hold no read locks, so a migration need not wait for readers', async () => {
    await readEverywhere();
    await database.write((manager) => manager.query('ALTER TABLE notes ADD COLUMN added INT'));
    expect(await readEverywhere()).toEqual(new Set(['before']));
  });

  it('are abandoned if the server hangs while it prepares a statement', async () => {
    const limitTo = (maxQueryExecutionTime: number) => Object.assign(source.driver.options, { maxQueryExecutionTime });
    limitTo(300);
    await server.freeze();
    try {
      const answer = runStatement(database.manager, 'SELECT text AS never_asked_before FROM notes', []);
      await expect(answer).rejects.toThrow(DatabaseUnavailableError);
    } finally {
      server.resume();
      limitTo(8_000);
    }
    expect(await readEverywhere()).toEqual(new Set(['before']));
  });
});
