import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, cp, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SqlServer } from '../support/servers/sql-server';
import { startInstance } from '../support/test-app';
import { BlobService } from './blob-store.harness';

/** An image or similar: more than one row of file content. */
const FILE = randomBytes(1_500_000);

/** A message that references the file. The service would delete an unreferenced file. */
const MESSAGE = `INSERT INTO chat_messages
  (id, chat_id, position, role, content, status, is_current, token_count, created_at, updated_at)
  VALUES (1, 1, 0, 'user', 'Look', 'completed', 1, 1, '2026-01-31 09:30:00.000', '2026-01-31 09:30:00.000')`;

const PROGRAM = resolve(__dirname, '../../dist/backup.js');
const ADMIN = { email: 'ada@example.com', password: 'correct horse battery staple' };

describe('a backup', () => {
  let folder: string;
  const services: NestExpressApplication[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()));
    await rm(folder, { recursive: true });
  });

  /** The command of `npm run backup`, without npm. */
  async function backUp(databaseUrl: string, ...files: string[]): Promise<{ code: number | null; output: string }> {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [PROGRAM, ...files], {
      cwd: folder,
      env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: databaseUrl },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** The same database for this process, which runs in another folder. */
  const here = (databaseUrl: string): string => databaseUrl.replace(':./', `:${folder}/`);

  /** The service in this process: another process creates the backup. */
  async function start(databaseUrl: string): Promise<{ stop: () => Promise<void>; url: string; token: string }> {
    const { app, url } = await startInstance({
      LOG_LEVEL: 'silent',
      DATABASE_URL: here(databaseUrl),
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      RATE_LIMIT_ADMIN: '1000000',
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
    });
    services.push(app);
    const stop = async (): Promise<void> => {
      services.splice(services.indexOf(app), 1);
      await app.close();
    };
    const token = (await call<{ access_token: string }>(`${url}/auth/login`, { body: ADMIN })).body.access_token;
    return { stop, url, token };
  }

  /** Stores a file used by a message, and an unreferenced one. */
  async function storeFiles(databaseUrl: string): Promise<string> {
    const blobs = await BlobService.start(here(databaseUrl));
    const hash = await blobs.store.put(FILE);
    await blobs.store.put(randomBytes(10));
    await blobs.database.write((manager) => manager.query(MESSAGE));
    await blobs.refer(1, hash);
    await blobs.close();
    return hash;
  }

  async function readStored(databaseUrl: string, hash: string): Promise<Buffer | null> {
    const blobs = await BlobService.start(here(databaseUrl));
    const bytes = await blobs.store.get(hash);
    await blobs.close();
    return bytes;
  }

  /** Creates a backup during writes, restores it with `restore`, and starts a service on the restored database. */
  async function proveUnderLoad(databaseUrl: string, file: string, restore: () => Promise<string>): Promise<void> {
    const hash = await storeFiles(databaseUrl);
    const { stop, url, token } = await start(databaseUrl);
    const made: number[] = [];
    let goesOn = true;
    const write = async (): Promise<void> => {
      while (goesOn) {
        const { status, body } = await call<ChatDto>(`${url}/chat`, { token, body: { title: `chat ${made.length}` } });
        expect(status).toBe(201);
        made.push(body.id);
      }
    };
    const writers = Array.from({ length: 4 }, write);
    await Promise.race([Promise.all(writers), eventually(() => made.length >= 40)]);
    const before = [...made];
    const { code, output } = await backUp(databaseUrl, file);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`The backup is ${file} (`) });
    expect(made.length).toBeGreaterThan(before.length);
    goesOn = false;
    await Promise.all(writers);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await stop();

    const restoredUrl = await restore();
    const restored = await start(restoredUrl);
    const listed: number[] = [];
    let total = Infinity;
    while (listed.length < total) {
      const path = `/chat?limit=100&offset=${listed.length}`;
      const page = await call<ChatDto[]>(`${restored.url}${path}`, { token: restored.token });
      listed.push(...page.body.map(({ id }) => id));
      // A separate table stores the number: a copy from another moment would contain a different one.
      total = Number(page.headers.get('x-total-count'));
      expect(page.body.length).toBeGreaterThan(0);
    }
    expect(listed).toHaveLength(total);
    expect(listed).toEqual(expect.arrayContaining(before));
    const { id } = (await call<ChatDto>(`${restored.url}/chat`, { token: restored.token, body: {} })).body;
    expect(id).toBeGreaterThan(Math.max(...listed));
    await restored.stop();
    expect((await readStored(restoredUrl, hash))?.equals(FILE)).toBe(true);
  }

  it('of a SQLite file under load is consistent, and a service starts on it', async () => {
    const file = join(folder, 'copy.sqlite');
    await proveUnderLoad('sqlite:./app.sqlite', file, async () => {
      await copyFile(file, join(folder, 'restored.sqlite'));
      await cp(`${file}-blobs`, join(folder, 'restored.sqlite-blobs'), { recursive: true });
      return 'sqlite:./restored.sqlite';
    });
    // Only what messages need, and readable by the owner only.
    const copied = (await readdir(`${file}-blobs`, { recursive: true, withFileTypes: true })).filter((each) =>
      each.isFile(),
    );
    expect(copied).toHaveLength(1);
    expect((await stat(join(copied[0]!.parentPath, copied[0]!.name))).mode & 0o777).toBe(0o600);
  });

  it('overwrites nothing, leaves no partial file, and exits with 1 if there is no database', async () => {
    const database = 'sqlite:./app.sqlite';
    const first = await backUp(database);
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/data\/backups\/\d{8}T\d{6}Z\.sqlite/) });
    const file = join(folder, 'copy.sqlite');
    const content = await readFile(file);
    expect(await backUp(database, file)).toMatchObject({ code: 1, output: expect.stringMatching(/exists/) });
    expect(await readFile(file)).toEqual(content);
    await rm(file);
    expect(await backUp(database, file)).toMatchObject({ code: 1, output: expect.stringMatching(/-blobs exists/) });
    await rm(join(folder, 'app.sqlite-blobs'), { recursive: true });
    const without = join(folder, 'without.sqlite');
    expect(await backUp(database, without)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/0 images and files of messages .* 1 more are not there/),
    });
    await writeFile(join(folder, 'text.sqlite'), 'no database '.repeat(100));
    for (const bad of ['sqlite:./none.sqlite', 'sqlite:./text.sqlite', 'mysql://root@127.0.0.1:1/none']) {
      const answer = await backUp(bad, join(folder, 'bad.backup'));
      expect(answer).toEqual({ code: 1, output: expect.stringMatching(/^No backup was made: .*\.\n$/) });
    }
    expect((await readdir(folder)).filter((name) => /bad|unfinished/.test(name))).toEqual([]);
  });

  describeWithProgram('mariadbd', 'of a server', () => {
    let server: SqlServer;

    beforeAll(async () => {
      server = await startMariadbServer();
    });

    afterAll(() => server.stop());

    it('under load is consistent, and a service starts on it', async () => {
      const file = join(folder, 'copy.sql');
      await proveUnderLoad(server.url, file, async () => {
        const { url } = await server.createDatabase();
        const { hostname, port, username, password, pathname } = new URL(url);
        const dump = await open(file);
        const restoring = spawnSync(
          'mariadb',
          [`--host=${hostname}`, `--port=${port}`, `--user=${username}`, pathname.slice(1)],
          { stdio: [dump.fd, 'pipe', 'pipe'], env: { ...process.env, MYSQL_PWD: decodeURIComponent(password) } },
        );
        await dump.close();
        expect(restoring.stderr.toString()).toBe('');
        return url;
      });
      expect(await readFile(file, 'utf8')).toMatch(/^ALTER DATABASE .*utf8mb4_bin;\n/);
    });
  });
});
