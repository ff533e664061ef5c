import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { call } from '../support/http';
import { configurationRefusal, databaseRefusal } from '../support/refusals';
import { useServiceRuns } from './service-runs.harness';

const PROJECT = resolve(__dirname, '../..');

/**
 * A process takes seconds of processor time to start, so each one checks as much as possible. What is the same on every
 * Node release is in `start-output.spec.ts`: this file runs on two of them.
 */
describe('the start of the built service', () => {
  const runs = useServiceRuns();

  it('without any configuration shows all addresses and missing settings, and stops cleanly', async () => {
    const run = runs.start({});
    await run.untilOutput('Account ');
    const origin = run.origin();
    await keepsNoMemoryOfTheStart(origin);
    expect(run.output()).toMatch(/^ {2}Console +http:\/\/127\.0\.0\.1:\d+\/console$/m);
    expect(run.output()).toMatch(/^ {2}Setup +http:\/\/127\.0\.0\.1:\d+\/console\/setup$/m);
    expect(run.output()).toMatch(/API +http:\/\/127\.0\.0\.1:\d+\/api\/v1/);
    expect(run.output()).toMatch(/Swagger +http:.*\/docs/);
    expect(run.output()).toMatch(/ReDoc +http:.*\/redoc/);
    expect((await call(`${origin}/health`)).status).toBe(200);
    const isConsoleBuilt = existsSync(join(PROJECT, 'dist/console/index.html'));
    expect((await call(`${origin}/console`)).status).toBe(isConsoleBuilt ? 200 : 503);
    expect(run.output().match(/The console is not built/g)?.length ?? 0).toBe(isConsoleBuilt ? 0 : 1);

    await Promise.all([refusesItsFile(), refusesItsPort(new URL(origin).port)]);

    // The shutdown does not wait for a connection that never sent anything. It is accepted once a later one has its
    // answer.
    const silent = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(silent, 'connect');
    expect((await call(`${origin}/health/live`)).status).toBe(200);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    silent.destroy();
    // Everything written is in the file itself.
    expect((await stat(join(runs.folder, 'data/app.sqlite-wal'))).size).toBe(0);
    await startsAgainWithJson();
  });

  it('exits with 0 and without an error message when it is stopped while it migrates', async () => {
    const run = runs.start({ DATABASE_URL: 'sqlite:./stopped.sqlite' });
    await run.untilOutput('migrating 1 of');
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('The service stops.');
    expect(run.output()).not.toMatch(/Swagger| at .*\.js:\d+/);
  });

  /** The files that the start created and left. */
  async function keepsNoMemoryOfTheStart(origin: string): Promise<void> {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    const [, bytes] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(bytes)).toBeGreaterThan(0);
    expect(Number(bytes)).toBeLessThanOrEqual(8 * 2 ** 20);
  }

  async function refusesItsFile(): Promise<void> {
    const run = runs.start({ LOG_FORMAT: 'json' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^The database file .* is in use by another process.*Stop that process first/m);
    expect(run.output()).not.toMatch(/ at .*\.js:\d+|Error:/);
  }

  async function refusesItsPort(port: string): Promise<void> {
    const run = runs.start({ PORT: port, DATABASE_URL: 'sqlite:./other.sqlite' });
    expect(await run.ended).toBe(1);
    const sentence = `^The service cannot listen on 127.0.0.1, port ${port}: .*EADDRINUSE\\)\\.$`;
    expect(run.output()).toMatch(new RegExp(sentence, 'm'));
    expect(run.output()).not.toMatch(/ at .*\.js:\d+|Error:/);
    // Earlier log messages are not lost.
    expect(run.output()).toContain('UPGRADE_MODE is open');
  }

  /** One record lists all addresses, and each line before it is a record. */
  async function startsAgainWithJson(): Promise<void> {
    const admin = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'a password for the operator' };
    const run = runs.start({ LOG_FORMAT: 'json', ...admin });
    await run.untilOutput('"The service listens."}');
    const [log = ''] = /^[^]*"The service listens\."\}$/m.exec(run.output()) ?? [];
    const records = log.split('\n').map((line) => JSON.parse(line) as Record<string, string>);
    expect(records.length).toBeGreaterThan(1);
    expect(records.at(-1)).toMatchObject({
      level: 'info',
      console: expect.stringMatching(/^http:.*\/console$/),
      api: expect.stringMatching(/^http:.*\/api\/v1$/),
      health: expect.any(String),
      mails: expect.any(String),
      account: expect.any(String),
    });
    expect(records.at(-1)).not.toHaveProperty('setup');
  }
});

describe('the messages of the service when it does not start', () => {
  it('name invalid addresses without showing their passwords', () => {
    const refusal = configurationRefusal({
      DATABASE_URL: 'mysql://root:S3cr3t#Pw@127.0.0.1:3306/x',
      REDIS_URL: 'redis://:S3cr3tPw@127.0.0.1:99999',
      SMTP_URL: 'smtp://user:S3cr3t%zz@127.0.0.1:1',
      LLM_BASE_URL: 'https://user:S3cr3t@127.0.0.1/v1',
      PUBLIC_URL: 'https://user:S3cr3t@chat.example.com',
    });
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'SMTP_URL', 'LLM_BASE_URL', 'PUBLIC_URL']) {
      expect(refusal).toMatch(new RegExp(`^ +- ${name} must be .*; `, 'm'));
    }
    expect(refusal).toContain('# is %23');
    expect(refusal).not.toContain('S3cr3t');
  });

  it('refuse production without a secret, a mail server and a sender, and example secrets', () => {
    const bare = configurationRefusal({ NODE_ENV: 'production' });
    expect(bare).toMatch(/JWT_SECRET is required in production/);
    expect(bare).toContain('SMTP_URL');
    expect(bare).toContain('MAIL_FROM');
    const example = configurationRefusal({ JWT_SECRET: 'change-me-change-me-change-me-change-me' });
    expect(example).toContain('JWT_SECRET is an example value');
  });

  // Only Linux reports its limit.
  if (process.platform === 'linux') {
    it('name a limit of open files that is too low, and how to raise it', async () => {
      const command = `ulimit -n 100 && exec "${process.execPath}" "${join(PROJECT, 'dist/main.js')}"`;
      const refusal = await new Promise<string>((resolve) =>
        execFile(
          'sh',
          ['-c', command],
          { env: { DATABASE_URL: 'mysql://nobody@127.0.0.1:1/x' }, cwd: tmpdir(), timeout: 20_000 },
          (_error, _output, words) => resolve(words),
        ),
      );
      expect(refusal).toMatch(/^The process may have only 100 files .*Raise the hard limit: `ulimit -n`.*\n$/);
    });
  }

  it('names a file that is not a database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'start-'));
    await mkdir(join(folder, 'folder'));
    await writeFile(join(folder, 'text.sqlite'), 'no database '.repeat(100));
    for (const file of ['folder', 'text.sqlite', 'text.sqlite/below/app.sqlite', '/proc/nothing/app.sqlite']) {
      const refusal = await databaseRefusal(`sqlite:${resolve(folder, file)}`);
      expect(refusal).toMatch(new RegExp(`^The database file .*${file} cannot be opened: `));
    }
    await rm(folder, { recursive: true });
  });
});
