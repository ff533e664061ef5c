import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorError } from '../../src/config/operator.error';
import { call, expectFailure } from '../support/http';
import { ServiceRun } from '../support/service-run';
import { startInstance } from '../support/test-app';

const PROJECT = resolve(__dirname, '../..');

describe('the start of the built service', () => {
  let folder: string;
  const runs: ServiceRun[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'));
  });

  afterEach(async () => {
    await Promise.all(runs.splice(0).map((run) => run.kill()));
    await rm(folder, { recursive: true });
  });

  function start(environment: Record<string, string>): ServiceRun {
    const run = new ServiceRun(folder, environment);
    runs.push(run);
    return run;
  }

  /** What the service says when it refuses to start here, in this process; `main.ts` prints it and ends with 1. */
  async function refusalOf(environment: Record<string, string>): Promise<string> {
    const refusal = await startInstance(environment).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperatorError);
    return (refusal as OperatorError).message;
  }

  it('reports all faults of the configuration together, by name, and ends with 1', async () => {
    const run = start({
      PORT: 'eighty',
      DATABASE_URL: 'postgres://localhost/x',
      JWT_SECRET: 'too short',
      RATE_LIMIT_NORMAL: '-1',
      LLM_PROVIDER: 'openai-compatible',
      DOCS_ENABLED: 'perhaps',
      METRICS_TOKEN: 'tökén',
    });
    expect(await run.ended).toBe(1);
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'JWT_SECRET',
      'RATE_LIMIT_NORMAL',
      'LLM_BASE_URL',
      'DOCS_ENABLED',
      'METRICS_TOKEN',
    ]) {
      expect(run.output()).toContain(name);
    }
    expect(run.output()).not.toContain('too short\n');
    expect(run.output()).not.toMatch(/ at .*\.js:\d+/);
  });

  it('names addresses that are wrong without showing their passwords', async () => {
    const refusal = await refusalOf({
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

  it('refuses production without a secret, a mail server and a sender, and example secrets', async () => {
    const bare = start({ NODE_ENV: 'production' });
    expect(await bare.ended).toBe(1);
    expect(bare.output()).toMatch(/JWT_SECRET is required in production/);
    expect(bare.output()).toContain('SMTP_URL');
    expect(bare.output()).toContain('MAIL_FROM');
    const example = await refusalOf({ JWT_SECRET: 'change-me-change-me-change-me-change-me' });
    expect(example).toContain('JWT_SECRET is an example value');
  });

  it('starts with no configuration at all, says where everything is, and ends in order on SIGTERM', async () => {
    const run = start({});
    await run.untilOutput('Account ');
    expect(run.output()).toMatch(/^ {2}Console +http:\/\/127\.0\.0\.1:\d+\/console$/m);
    expect(run.output()).toMatch(/^ {2}Setup +http:\/\/127\.0\.0\.1:\d+\/console\/setup$/m);
    expect(run.output()).toMatch(/API +http:\/\/127\.0\.0\.1:\d+\/api\/v1/);
    expect(run.output()).toMatch(/Swagger +http:.*\/docs/);
    expect(run.output()).toMatch(/ReDoc +http:.*\/redoc/);
    const origin = run.origin();
    expect((await call(`${origin}/health`)).status).toBe(200);
    const isConsoleBuilt = existsSync(join(PROJECT, 'dist/console/index.html'));
    expect((await call(`${origin}/console`)).status).toBe(isConsoleBuilt ? 200 : 503);
    expect(run.output().match(/The console is not built/g)?.length ?? 0).toBe(isConsoleBuilt ? 0 : 1);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    // All that was written is in the file itself.
    expect((await stat(join(folder, 'data/app.sqlite-wal'))).size).toBe(0);
    const again = start({ ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'a password for the operator' });
    await again.untilOutput('Account ');
    expect(again.output()).toContain('Account ');
    expect(again.output()).not.toContain('Setup ');
  });

  it('keeps no memory for the objects that the start made and left behind', async () => {
    const run = start({});
    await run.untilOutput('Account ');
    const metrics = await (await fetch(`${run.origin()}/metrics`)).text();
    const [, bytes] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(bytes)).toBeGreaterThan(0);
    expect(Number(bytes)).toBeLessThanOrEqual(8 * 2 ** 20);
  });

  it('prints the code that a registration needs at any level of the log', async () => {
    const run = start({ LOG_LEVEL: 'silent' });
    await run.untilOutput('Account ');
    const origin = run.origin();
    const body = { email: 'ada@example.com', purpose: 'register' };
    expect((await call(`${origin}/api/v1/auth/send_code`, { method: 'POST', body })).status).toBe(200);
    await run.untilOutput('confirmation code');
    expect(run.output()).toMatch(/To: ada@example\.com\nSubject: \d{6} is your AI Chat confirmation code/);
  });

  it('says where everything is in one record if the log is JSON', async () => {
    const run = start({ LOG_FORMAT: 'json' });
    await run.untilOutput('"The service listens."}');
    const [log = ''] = /^[^]*"The service listens\."\}$/m.exec(run.output()) ?? [];
    const record = log
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
      .at(-1);
    expect(record).toMatchObject({
      level: 'info',
      console: expect.stringMatching(/^http:.*\/console$/),
      setup: expect.stringMatching(/^http:.*\/setup /),
      api: expect.stringMatching(/^http:.*\/api\/v1$/),
    });
    expect(record).toMatchObject({
      health: expect.any(String),
      mails: expect.any(String),
      account: expect.any(String),
    });
  });

  it('names an address that can be opened when it listens on all, and in the link a token that works', async () => {
    const run = start({ HOST: '0.0.0.0', TRUST_PROXY: '1' });
    await run.untilOutput('Account ');
    const [, token] = /^ {2}Setup +http:\/\/localhost:\d+\/console\/setup#token=([\w-]{43})$/m.exec(run.output()) ?? [];
    const setup = `http://127.0.0.1:${/localhost:(\d+)/.exec(run.output())?.[1]}/api/v1/setup/administrator`;
    const body = { email: 'ada@example.com', username: 'ada', password: 'a long enough test password' };
    expectFailure(await call(setup, { body }), 403, 'SETUP_NOT_ALLOWED');
    expect((await call(setup, { body: { ...body, token } })).status).toBe(201);
    expect(run.output()).toMatch(/^ {2}Console +http:\/\/localhost:\d+\/console$/m);
    const named = start({
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://chat.example.com/',
      CONSOLE_ENABLED: 'false',
      DATABASE_URL: 'sqlite:./other.sqlite',
    });
    await named.untilOutput('Account ');
    expect(named.output()).toMatch(/^ {2}API +https:\/\/chat\.example\.com\/api\/v1$/m);
    expect(named.output()).not.toMatch(/console/i);
  });

  it('refuses a second process on the same SQLite file, and a port that is taken, in a sentence', async () => {
    const first = start({});
    await first.untilOutput('Account ');
    const second = start({});
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/in use by another process.*Stop that process first/);
    const port = /127\.0\.0\.1:(\d+)/.exec(first.output())?.[1] ?? '';
    const third = start({ PORT: port, DATABASE_URL: 'sqlite:./other.sqlite' });
    expect(await third.ended).toBe(1);
    expect(third.output()).toMatch(
      new RegExp(`^The service cannot listen on 127.0.0.1, port ${port}: .*EADDRINUSE\\)\\.$`, 'm'),
    );
    expect(third.output()).not.toMatch(/ at .*\.js:\d+|Error:/);
    // What the parts of the service had to say until then is not lost.
    expect(third.output()).toContain('UPGRADE_MODE is open');
  });

  it('refuses a file that is not a database, in a sentence', async () => {
    await mkdir(join(folder, 'folder'));
    await writeFile(join(folder, 'text.sqlite'), 'no database '.repeat(100));
    const files = ['folder', 'text.sqlite', 'text.sqlite/below/app.sqlite', '/proc/nothing/app.sqlite'];
    for (const file of files) {
      const location = file.startsWith('/') ? file : join(folder, file);
      const refusal = await refusalOf({ LOG_LEVEL: 'silent', DATABASE_URL: `sqlite:${location}` });
      expect(refusal).toMatch(new RegExp(`^The database file .*${file} cannot be opened: `));
    }
    await writeFile(join(folder, 'words.sqlite'), 'no database '.repeat(100));
    const run = start({ DATABASE_URL: 'sqlite:words.sqlite' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^The database file .*words\.sqlite cannot be opened: /m);
    expect(run.output()).not.toMatch(/ at .*\.js:\d+|Error:/);
  });

  it('reads .env for what the environment leaves out or empty', async () => {
    await writeFile(join(folder, '.env'), 'PORT=eighty\nHOST=127.0.0.1\nLOG_LEVEL=loud\n');
    const run = start({ PORT: '', LOG_LEVEL: 'info', HOST: '999.999.1.1' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/has 1 fault\(s\):\n {2}- PORT must be/);
  });

  it('says that .env cannot be read', async () => {
    await mkdir(join(folder, '.env'));
    const run = start({});
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^ {2}- the file \.env cannot be read: /m);
    expect(run.output()).not.toMatch(/ at .*\.js:\d+/);
  });

  it('refuses an address that does not exist, in a sentence', async () => {
    const run = start({ HOST: '999.999.1.1', LOG_FORMAT: 'json' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^The service cannot listen on 999\.999\.1\.1, port 0: .*Set HOST/m);
    expect(run.output()).not.toMatch(/ at .*\.js:\d+|Error:/);
  });
});
