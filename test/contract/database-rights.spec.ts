// @part rest: needs a database server
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import type { SqlServer } from '../support/servers/sql-server';
import { startTestApp, type TestApp } from '../support/test-app';

const ACCOUNT = "tester@'127.0.0.1'";
const DATABASES = '`test\\_%`.*';

/** Shorter than the idle timeout of unused connections. */
const PROMISED_SECONDS = 10;

describeWithProgram('mariadbd', 'an account of the database that loses its rights', () => {
  let server: SqlServer;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    server = await startMariadbServer();
    app = await startTestApp({ DATABASE_URL: server.url });
    token = (await createUser(app)).token;
  });

  afterAll(async () => {
    await app.close();
    await server.stop();
  });

  const write = () => call(`${app.url}/user/profile`, { method: 'PUT', token, body: { bio: 'Hello' } });

  /** A connection keeps the privileges from when it was opened. */
  const renewConnections = async () => {
    const rows = await server.administer("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'tester'");
    for (const { ID } of rows) {
      await server.administer(`KILL ${Number(ID)}`).catch(() => undefined);
    }
  };

  it.each([
    ['to write', 'INSERT, UPDATE, DELETE'],
    ['to everything', 'ALL PRIVILEGES'],
  ])('%s is answered with 503, never 500, and served when the privileges are back', async (_what, rights) => {
    expect((await write()).status).toBe(200);
    await server.administer(`REVOKE ${rights} ON ${DATABASES} FROM ${ACCOUNT}`);
    await renewConnections();
    const statuses = new Set<number>();
    await eventually(async () => {
      const { status } = await write();
      statuses.add(status);
      return status !== 200;
    });
    for (let attempt = 0; attempt < 8; attempt++) {
      expect(expectFailure(await write(), 503, 'SERVICE_UNAVAILABLE').retry_after).toBeGreaterThanOrEqual(1);
    }
    expect([...statuses]).not.toContain(500);
    await server.administer(`GRANT ALL ON ${DATABASES} TO ${ACCOUNT}`);
    await eventually(async () => (await write()).status === 200, PROMISED_SECONDS);
  });
});
