// @part rest: tests the servers that only these tests start
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { createTransport } from 'nodemailer';
import { GuardedProcess } from '../support/servers/guarded-process';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { startRedisServer } from '../support/servers/redis-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SmtpTestServer, startSmtpServer } from '../support/servers/smtp-server';
import { type SqlServer } from '../support/servers/sql-server';
import { createTestDatabase } from '../support/servers/test-database';

const guardianFile = join(__dirname, '../support/servers/guardian.js');

/** Plain JavaScript for `node -e`: makes a guardian start a server, and reports it. */
const ownerScript = `
  const [guardianFile, folder] = process.argv.slice(1);
  const guardian = require('node:child_process').fork(guardianFile, [folder], { detached: true });
  guardian.once('message', () => console.log('started'));
  const command = 'echo $$ > ' + folder + '/pid; echo up; exec sleep 600';
  guardian.send({ type: 'start', command: '/bin/sh', arguments: ['-c', command], ready: 'up' });
`;

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('guarded process', () => {
  it('removes its folder and kills its server when closed', async () => {
    const guardedProcess = await GuardedProcess.open('chat-guard');
    await guardedProcess.start({ command: '/bin/sh', arguments: ['-c', 'echo up $$; exec sleep 600'], ready: 'up' });
    expect(existsSync(guardedProcess.folder)).toBe(true);
    await guardedProcess.close();
    expect(existsSync(guardedProcess.folder)).toBe(false);
  });

  it('reports the output of a server that does not start', async () => {
    const guardedProcess = await GuardedProcess.open('chat-guard');
    const start = guardedProcess.start({ command: '/bin/sh', arguments: ['-c', 'echo no luck; exit 3'], ready: 'up' });
    await expect(start).rejects.toThrow('no luck');
    await guardedProcess.close();
    expect(existsSync(guardedProcess.folder)).toBe(false);
  });

  it('reports a program that does not exist', async () => {
    const guardedProcess = await GuardedProcess.open('chat-guard');
    await expect(guardedProcess.run('/nowhere/program', [])).rejects.toThrow('ENOENT');
    await guardedProcess.close();
    expect(existsSync(guardedProcess.folder)).toBe(false);
  });

  it('leaves no server and no folder when the process that opened it is killed', async () => {
    const parentFolder = await mkdtemp(join(tmpdir(), 'chat-guard-'));
    const folder = join(parentFolder, 'guarded');
    await mkdir(folder);
    const owner = spawn(process.execPath, ['-e', ownerScript, guardianFile, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    const serverProcess = Number(await readFile(join(folder, 'pid'), 'utf8'));
    const removal = watch(parentFolder);
    owner.kill('SIGKILL');
    const patience = AbortSignal.timeout(60_000);
    try {
      while (existsSync(folder)) await once(removal, 'change', { signal: patience });
    } finally {
      removal.close();
    }
    expect(() => process.kill(serverProcess, 0)).toThrow('ESRCH');
    await rm(parentFolder, { recursive: true });
  });
});

describe('test database', () => {
  it('is a separate SQLite file each time, and is removed by drop()', async () => {
    const [first, second] = [await createTestDatabase(), await createTestDatabase()];
    expect(first.url).not.toBe(second.url);
    expect(first.url).toMatch(/^sqlite:\/.+\.sqlite$/);
    await first.drop();
    await second.drop();
    expect(existsSync(first.url.replace(/^sqlite:(.*)\/.*$/, '$1'))).toBe(false);
  });
});

describeWithProgram('mariadbd', 'private MariaDB', () => {
  let server: SqlServer;
  beforeAll(async () => {
    server = await startMariadbServer({ durable: true });
  });
  afterAll(() => server.stop());

  it('accepts its account, runs in strict mode, speaks utf8mb4 and is five hours ahead of UTC', async () => {
    const connection = await createConnection(server.url);
    const [rows] = await connection.query(
      'SELECT @@time_zone AS zone, @@sql_mode LIKE "%STRICT_TRANS%" AS strict, @@character_set_database AS charset',
    );
    await connection.end();
    expect(rows).toEqual([{ zone: '+05:00', strict: 1, charset: 'utf8mb4' }]);
  });

  it('keeps its data and its port over kill() and start()', async () => {
    const before = await createConnection(server.url);
    await before.query('CREATE TABLE kept (id INT PRIMARY KEY)');
    await before.query('INSERT INTO kept VALUES (7)');
    before.on('error', () => undefined);
    await server.kill();
    expect(await accepts(server.port)).toBe(false);
    await server.start();
    const after = await createConnection(server.url);
    expect((await after.query('SELECT id FROM kept'))[0]).toEqual([{ id: 7 }]);
    await after.end();
  });

  it('drops a database it created', async () => {
    const database = await server.createDatabase();
    await (await createConnection(database.url)).end();
    await database.drop();
    await expect(createConnection(database.url)).rejects.toMatchObject({ code: 'ER_BAD_DB_ERROR' });
  });

  it('stops permanently with its folder', async () => {
    const other = await startMariadbServer();
    await other.stop({ keepData: true });
    await other.start();
    expect(await accepts(other.port)).toBe(true);
    await other.stop();
    expect(await accepts(other.port)).toBe(false);
  });
});

describeWithProgram('redis-server', 'private Redis', () => {
  it('answers, stops, and comes back empty on the same port', async () => {
    const server = await startRedisServer();
    const client = new Redis(server.url, { lazyConnect: true, retryStrategy: null });
    client.on('error', () => undefined);
    await client.set('key', 'value');
    expect(await client.get('key')).toBe('value');
    const closed = once(client, 'end');
    await server.stop();
    await closed;
    expect(await accepts(server.port)).toBe(false);
    await server.restart();
    await client.connect();
    expect(await client.get('key')).toBeNull();
    client.disconnect();
    await server.stop();
    expect(await accepts(server.port)).toBe(false);
  });
});

describe('SMTP receiver', () => {
  let server: SmtpTestServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterEach(() => server.behave());
  afterAll(() => server.stop());

  function send(to: string, subject: string): Promise<unknown> {
    return createTransport(server.url).sendMail({ from: 'us@example.com', to, subject, text: 'Grüße, 123456' });
  }

  it('returns each mail once, to the earliest waiter', async () => {
    const waiting = server.waitForMail('a@example.com');
    await send('A@example.com', 'first');
    await send('a@example.com', 'second');
    expect((await waiting).text).toContain('Grüße, 123456');
    expect((await server.waitForMail('a@example.com')).subject).toBe('second');
    await expect(server.waitForMail('a@example.com', undefined, 20)).rejects.toThrow('no such mail');
  });

  it('selects by predicate', async () => {
    await send('b@example.com', 'one');
    await send('b@example.com', 'two');
    expect((await server.waitForMail('b@example.com', ({ subject }) => subject === 'two')).subject).toBe('two');
  });

  it('rejects recipients on demand', async () => {
    server.reject(451, 'try later');
    await expect(send('c@example.com', 'no')).rejects.toMatchObject({ responseCode: 451 });
    expect(server.mailsTo('c@example.com')).toHaveLength(0);
  });

  it('delays a mail on demand', async () => {
    server.slowDown(60_000);
    const transport = createTransport({ host: '127.0.0.1', port: server.port, socketTimeout: 300 });
    const sending = transport.sendMail({ from: 'us@example.com', to: 'd@example.com', text: 'slow' });
    await expect(sending).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(server.mailsTo('d@example.com')).toHaveLength(0);
  });

  it('refuses connections and accepts them again on the same port', async () => {
    await server.refuseConnections();
    await expect(send('e@example.com', 'no')).rejects.toMatchObject({ code: 'ESOCKET' });
    await server.acceptConnections();
    await send('e@example.com', 'yes');
    expect((await server.waitForMail('e@example.com')).subject).toBe('yes');
  });
});
