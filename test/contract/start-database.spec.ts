// @part rest: needs a database server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { databaseRefusal } from '../support/refusals';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SqlServer } from '../support/servers/sql-server';
import { ServiceRun } from '../support/service-run';

const MIGRATE = resolve(__dirname, '../../dist/migrate.js');

describeWithProgram('mariadbd', 'the start of the built service on a database server', () => {
  let folder: string;
  let server: SqlServer;
  const runs: ServiceRun[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-database-'));
    server = await startMariadbServer();
  });

  afterAll(async () => {
    await Promise.all(runs.map((run) => run.kill()));
    await server.stop();
    await rm(folder, { recursive: true });
  });

  function start(url: string, program?: string): ServiceRun {
    const run = new ServiceRun(folder, { DATABASE_URL: url }, program);
    runs.push(run);
    return run;
  }

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };

  it('exits with 1 and a message when the password is refused, and reports no success', async () => {
    const run = start(changed((url) => (url.password = 'S3cr3tPw')));
    expect(await run.ended).toBe(1);
    const told = run.output().match(/^The database at 127\.0\.0\.1:\d+ refuses the connection \(.*\): .*\.$/gm);
    expect(told).toEqual([expect.stringMatching(/ER_ACCESS_DENIED_ERROR.*correct the user and the password/)]);
    expect(run.output()).not.toMatch(/Swagger|S3cr3tPw| at .*\.js:\d+/);
  });

  it.each([
    ['a user', (url: URL) => (url.username = 'nobody'), /ER_ACCESS_DENIED_ERROR.*correct the user and the password/],
    ['a database', (url: URL) => (url.pathname = '/test_none'), /ER_BAD_DB_ERROR.*create that database/],
    ['TLS', (url: URL) => (url.search = '?ssl=true'), /HANDSHAKE_NO_SSL_SUPPORT.*leave \?ssl=true out/],
  ])('has a message for %s that is refused too', async (_what, change, sentence) => {
    const refusal = await databaseRefusal(changed(change));
    expect(refusal).toMatch(/^The database at 127\.0\.0\.1:\d+ refuses the connection \(.*\): .*\.$/);
    expect(refusal).toMatch(sentence);
  });

  it('behaves the same in a migration command: it waits for the server, and exits with 0 after the migration', async () => {
    const { url } = await server.createDatabase();
    await server.stop({ keepData: true });
    const run = start(url, MIGRATE);
    await run.untilOutput('waiting for it');
    await server.start();
    expect(await run.ended).toBe(0);
    expect(run.output()).toMatch(/Migrations done: \d+ in [^]*The database is migrated\.\n$/);
  });

  it('exits with 0 and without an error message when it is stopped while it migrates', async () => {
    const { url } = await server.createDatabase();
    const run = start(url);
    await run.untilOutput('migrating 1 of');
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('The service stops.');
    expect(run.output()).not.toMatch(/Swagger|WARN: Looking| at .*\.js:\d+/);
  });

  it('waits for a server that is not up yet, logs that once, and reports success when it is up', async () => {
    await server.stop({ keepData: true });
    const [run, stopped] = [start(server.url), start(server.url)];
    await Promise.all([run, stopped].map((waiting) => waiting.untilOutput('waiting for it')));
    expect(run.output()).not.toContain('Swagger');
    stopped.signal('SIGTERM');
    expect(await stopped.ended).toBe(0);
    expect(stopped.output()).not.toMatch(/Swagger| at .*\.js:\d+/);
    await server.start();
    await run.untilOutput('Account ');
    expect(run.output()).toMatch(/not there yet \(.*ECONNREFUSED.*waiting for it[^]*is there after \d+ s\.[^]*Swagger/);
    expect(run.output().match(/not there yet/g)).toHaveLength(1);
  });
});
