// @databases mariadb: refusals of the server
import { Database } from '../../src/database/database';
import { AbandonedHolds } from '../../src/modules/generation/cluster/crash-recovery';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import type { SqlServer } from '../support/servers/sql-server';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

interface Readiness {
  error?: { details: { checks: { database: { status: string; reason?: string } } } };
}

/** The time within which readiness must report that writes fail, in seconds. */
const PROMISED_SECONDS = 10;

const isSqlite = databaseEngine() === 'sqlite';

describe('a database that refuses', () => {
  let server: SqlServer | undefined;
  let app: TestApp;
  let token: string;
  let admin: AdminClient;

  beforeAll(async () => {
    // Changes to the server affect all its users.
    server = isSqlite ? undefined : await startMariadbServer();
    app = await startTestApp(server && { DATABASE_URL: `${server.url}?wait=9` });
    token = (await createUser(app)).token;
    admin = await AdminClient.of(app);
  });

  afterAll(async () => {
    await app.close();
    await server?.stop();
  });

  const refuseWrites = async (isRefused: boolean) => {
    if (server) {
      await server.administer(`SET GLOBAL read_only = ${Number(isRefused)}`);
    } else {
      await app.app.get(Database).write((manager) => manager.query(`PRAGMA query_only = ${isRefused ? 'ON' : 'OFF'}`));
    }
  };
  const ready = () => call<Readiness>(`${app.origin}/health/ready`);
  const writable = async () => /^database_writable (\d)$/m.exec((await call(`${app.origin}/metrics`)).text)?.[1];
  const write = () => call(`${app.url}/user/profile`, { method: 'PUT', token, body: { bio: 'Hello' } });
  const read = () => call(`${app.url}/user/profile`, { token });

  it('makes the service unready while it accepts no writes, even if it answers reads', async () => {
    expect([(await ready()).status, await writable()]).toEqual([200, '1']);
    await refuseWrites(true);
    const refused = expectFailure(await write(), 503, 'SERVICE_UNAVAILABLE');
    expect(refused.retry_after).toBeGreaterThanOrEqual(1);
    await eventually(async () => (await ready()).status === 503, PROMISED_SECONDS);
    const { body } = await ready();
    expect(body.error?.details.checks.database).toMatchObject({ status: 'down', reason: 'not_writable' });
    expect(await writable()).toBe('0');
    expect((await admin.get('/admin/attention')).body.data).toMatchObject([{ kind: 'database_read_only' }]);
    expect((await read()).status).toBe(200);
    expect((await call(`${app.origin}/health/live`)).status).toBe(200);
    await refuseWrites(false);
    await eventually(async () => (await ready()).status === 200, PROMISED_SECONDS);
    expect([(await write()).status, await writable()]).toEqual([200, '1']);
  });

  it('is detected even while the service finishes work of other instances', async () => {
    let settled: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (settled = resolve));
    const settle = jest.spyOn(app.app.get(AbandonedHolds), 'settle').mockReturnValue(work);
    try {
      await eventually(() => settle.mock.calls.length > 0);
      await refuseWrites(true);
      await eventually(async () => (await ready()).status === 503, PROMISED_SECONDS);
      await refuseWrites(false);
      await eventually(async () => (await ready()).status === 200, PROMISED_SECONDS);
    } finally {
      await refuseWrites(false);
      settled();
      settle.mockRestore();
    }
  });

  if (!isSqlite) {
    const connections = async () => {
      const rows = await server!.administer("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'tester'");
      return rows.map(({ ID }) => Number(ID));
    };

    it('because it is read-only loses all its connections, so that a failover behind its name is followed', async () => {
      await Promise.all(Array.from({ length: 8 }, read));
      const before = await connections();
      await refuseWrites(true);
      // A connection younger than this has just resolved the address.
      await eventually(async () => {
        expectFailure(await write(), 503, 'SERVICE_UNAVAILABLE');
        return !(await connections()).some((id) => before.includes(id));
      });
      await refuseWrites(false);
      await eventually(async () => (await write()).status === 200);
    });

    it('a connection, or closes it, is answered with 503 and never 500', async () => {
      const refusals = new Set<number>();
      for (let round = 0; round < 5; round++) {
        const answers = Array.from({ length: 12 }, (_, index) => (index % 2 ? write() : read()));
        for (const id of await connections()) {
          await server!.administer(`KILL ${id}`).catch(() => undefined);
        }
        (await Promise.all(answers)).forEach(({ status }) => refusals.add(status));
      }
      expect([200, 503]).toEqual(expect.arrayContaining([...refusals]));
      await eventually(async () => (await write()).status === 200);
    });

    it('more connections is answered with 503 and never 500', async () => {
      const limit = (most: number) =>
        server!.administer(`ALTER USER tester@'127.0.0.1' WITH MAX_USER_CONNECTIONS ${most}`);
      await limit(2);
      for (const id of await connections()) {
        await server!.administer(`KILL ${id}`);
      }
      // The lease renewal may have opened a new one already.
      await eventually(async () => (await connections()).length <= 2);
      const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? write() : read())));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      refused.forEach((answer) => expectFailure(answer, 503, 'SERVICE_UNAVAILABLE'));
      await limit(0);
      await eventually(async () => (await write()).status === 200);
    });
  }
});
