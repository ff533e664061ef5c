// @databases mariadb: raw SQL
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import JSZip from 'jszip';
import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import type { InstanceDto } from '../../src/modules/operation/instances/instance.dto';
import type { InstanceLogLevelDto } from '../../src/modules/operation/log-levels/log-level.dto';
import { LogLevelEntity } from '../../src/modules/operation/log-levels/log-level.entity';
import { modelEnvironment } from '../support/chat-app';
import { SMALL } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { databaseEngine } from '../support/servers/test-database';
import { ServiceRun } from '../support/service-run';
import { startInstance } from '../support/test-app';

const FILES = [
  'manifest.json',
  'health.json',
  'instances.json',
  'config.json',
  'metrics.txt',
  'migrations.json',
  'counts.json',
  'failures.json',
  'attention.json',
  'log.jsonl',
];

const ADMIN = { email: 'canary-admin@example.com', password: 'canary-password-of-the-operator' };

/** Texts that people, models and operators wrote, none of which may leave the installation. */
const CANARY = /canary|198\.51\.100\.7|sk-hidden|pass-word/i;

describe('the built service, for its operators', () => {
  let folder: string;
  let database: TestDatabase;
  let model: ModelServer;
  let environment: Record<string, string>;
  let service: ServiceRun;
  const tokens = new Map<ServiceRun, Promise<string>>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'support-'));
    database = await createMigratedDatabase();
    model = await startModelServer();
    environment = {
      ...SMALL,
      ...modelEnvironment(model),
      NODE_ENV: 'test',
      LOG_FORMAT: 'json',
      DATABASE_URL: database.url,
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      MAIL_FROM: 'Canary <canary-sender@example.com>',
      PROVIDER_ALLOWED_HOSTS: '127.0.0.1',
      LLM_API_KEY: 'sk-hidden-canary',
      TRUST_PROXY: 'loopback',
    };
    service = await start();
  });

  afterAll(async () => {
    await service.kill();
    await model.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  async function start(): Promise<ServiceRun> {
    const run = new ServiceRun(folder, environment);
    await run.untilOutput('The service listens.');
    await eventually(async () => (await fetch(`${run.origin()}/health/ready`)).ok);
    return run;
  }

  async function request<Body>(run: ServiceRun, path: string, body?: unknown, method?: string, token?: string) {
    const headers = { 'x-forwarded-for': '198.51.100.7', 'x-request-id': 'canary-request' };
    return call<Body>(`${run.origin()}/api/v1${path}`, { method, body, token: token ?? (await logIn(run)), headers });
  }

  /** One sign-in for each process, because sign-ins are limited. */
  async function logIn(run: ServiceRun): Promise<string> {
    const signIn = async (): Promise<string> =>
      (await call<TokenPairDto>(`${run.origin()}/api/v1/auth/login`, { body: ADMIN })).body.access_token;
    const token = tokens.get(run) ?? signIn();
    tokens.set(run, token);
    return token;
  }

  async function bundleOf(bytes: Uint8Array): Promise<Map<string, string>> {
    const zip = await JSZip.loadAsync(bytes);
    const texts = Object.values(zip.files).map(async (file) => [file.name, await file.async('text')] as const);
    return new Map(await Promise.all(texts));
  }

  async function createBundle(run: ServiceRun): Promise<Map<string, string>> {
    const response = await fetch(`${run.origin()}/api/v1/admin/support_bundle`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await logIn(run)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'the canary ticket', hours: 2 }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    return bundleOf(new Uint8Array(await response.arrayBuffer()));
  }

  it('makes a support bundle without anything that people wrote', async () => {
    const token = await logIn(service);
    const send = <Body>(path: string, body?: unknown) => request<Body>(service, path, body, undefined, token);
    const chat = await send<{ id: number }>('/chat', { title: 'canary title' });
    await model.script({ key: 'canary question', status: 401, body: 'canary answer' });
    await send('/chat/message', { chat_id: chat.body.id, content: 'canary question' });
    await send('/admin/providers', {
      name: 'canary-provider',
      kind: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      api_key: 'sk-hidden',
    });
    await send('/admin/providers/canary-provider/test', {});
    await send('/admin/users/canary-name');
    await send('/admin/agents', { name: 'canary agent', model: 'scripted', system_prompt: 'canary prompt' });
    await send('/auth/send_code', { email: 'canary-person@example.com', purpose: 'register' });
    const files = await createBundle(service);
    expect([...files.keys()]).toEqual(FILES);
    for (const [name, text] of files) {
      expect([name, CANARY.exec(text)?.[0]]).toEqual([name, undefined]);
    }
    const read = <Value>(name: string) => JSON.parse(files.get(name)!) as Value;
    expect(read('manifest.json')).toMatchObject({ version: '1.0.0', hours: 2, missing: {} });
    expect(read('failures.json')).toEqual([
      {
        hour: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/),
        model: 'scripted',
        code: expect.any(String),
        count: 1,
      },
    ]);
    expect(read('counts.json')).toMatchObject({ users: 1, chats: 1, chat_messages: 2, failed_replies: 1 });
    expect(read<{ name: string }[]>('migrations.json').length).toBeGreaterThan(50);
    expect(read<{ name: string }[]>('config.json').some(({ name }) => /ADMIN_EMAIL|MAIL_FROM/.test(name))).toBe(false);
    expect(files.get('metrics.txt')).toContain('http_request_duration_seconds_count{');
    const lines = files
      .get('log.jsonl')!
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ path }) => path === '/api/v1/admin/users/*');
    expect(requests).toEqual([
      expect.objectContaining({ method: 'GET', user: expect.stringMatching(/^u_[0-9a-f]{16}$/) }),
    ]);
  });

  it('makes one by the command without the service, and without a database', async () => {
    const run = async (DATABASE_URL: string) => {
      const { PATH } = process.env;
      const { stdout } = await promisify(execFile)(process.execPath, [resolve(__dirname, '../../dist/support.js')], {
        cwd: folder,
        env: { PATH, ...environment, DATABASE_URL },
        encoding: 'buffer',
        maxBuffer: 32 * 1_048_576,
      });
      return bundleOf(stdout);
    };
    const files = await run(database.url);
    expect([...files.keys()]).toEqual(FILES);
    expect(JSON.parse(files.get('counts.json')!)).toMatchObject({ users: 1 });
    expect([...files.values()].join()).not.toMatch(CANARY);
    const away = await run('mysql://canary:pass-word@127.0.0.1:9/canary');
    expect([...away.keys()]).toEqual(FILES);
    expect(JSON.parse(away.get('manifest.json')!)).toMatchObject({ missing: { 'counts.json': expect.any(String) } });
    expect(away.get('config.json')).toContain('mysql://***:***@127.0.0.1:9/');
  });

  it('changes the log level at once, and keeps it over a restart until its end', async () => {
    const levels = async (run: ServiceRun) => {
      const { body } = await request<{ data: InstanceDto[] }>(run, '/admin/instances');
      return body.data.filter(({ state }) => state === 'serving').map(({ log_level }) => log_level);
    };
    expect(await levels(service)).toEqual(['info']);
    const set = await request<{ data: InstanceLogLevelDto[] }>(
      service,
      '/admin/log_level',
      { level: 'debug', minutes: 1 },
      'PUT',
    );
    expect(set.body.data).toEqual([{ instance_id: expect.any(String), level: 'debug', until: expect.any(String) }]);
    expect(await levels(service)).toEqual(['debug']);
    service.signal('SIGTERM');
    await service.ended;
    service = await start();
    expect((await levels(service)).at(-1)).toBe('debug');
    service.signal('SIGTERM');
    await service.ended;
    const { app } = await startInstance({ ...environment, LOG_LEVEL: 'silent', PORT: '0' });
    const until = new Date();
    await app.get(Database).write((manager) => updateRows(manager, LogLevelEntity, { until }, {}));
    await app.close();
    service = await start();
    expect((await levels(service)).at(-1)).toBe('info');
  });

  if (databaseEngine() !== 'sqlite') {
    it('changes the log level of one instance, and of both within five seconds', async () => {
      const second = await start();
      try {
        const list = async () => (await request<{ data: InstanceDto[] }>(service, '/admin/instances')).body.data;
        const serving = async () => (await list()).filter(({ state }) => state === 'serving');
        const other = (await serving()).find(({ is_self }) => !is_self)!;
        const put = (body: object) => request(service, '/admin/log_level', body, 'PUT');
        const levelsOf = async () => new Map((await serving()).map(({ is_self, log_level }) => [is_self, log_level]));
        await put({ level: 'trace', instance_id: other.id });
        await eventually(async () => (await levelsOf()).get(false) === 'trace', 7);
        expect((await levelsOf()).get(true)).toBe('info');
        await put({ level: 'warn' });
        await eventually(async () => [...(await levelsOf()).values()].join() === 'warn,warn', 7);
      } finally {
        await second.kill();
      }
    });
  }

  it('prints its version', async () => {
    const main = resolve(__dirname, '../../dist/main.js');
    const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
    expect(stdout).toMatch(/^1\.0\.0 \(commit [0-9a-f]{40}, built \d{4}-\d\d-\d\dT[\d:.]+Z\)\n$/);
  });
});
