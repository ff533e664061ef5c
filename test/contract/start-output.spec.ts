import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { call, expectFailure } from '../support/http';
import { useServiceRuns } from './service-runs.harness';

const MIGRATE = resolve(__dirname, '../../dist/migrate.js');

describe('the start messages of the built service', () => {
  const runs = useServiceRuns();

  it('report all errors in the environment and in .env together, by name, and exit with 1', async () => {
    await writeFile(join(runs.folder, '.env'), 'PORT=eighty\nHOST=127.0.0.1\nLOG_LEVEL=loud\n');
    const run = runs.start({
      PORT: '',
      LOG_LEVEL: 'info',
      DATABASE_URL: 'postgres://localhost/x',
      JWT_SECRET: 'too short',
      RATE_LIMIT_NORMAL: '-1',
      LLM_PROVIDER: 'openai-compatible',
      DOCS_ENABLED: 'perhaps',
      METRICS_TOKEN: 'tökén',
    });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^The configuration has \d+ fault\(s\):\n {2}- /m);
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'JWT_SECRET',
      'RATE_LIMIT_NORMAL',
      'LLM_BASE_URL',
      'DOCS_ENABLED',
      'METRICS_TOKEN',
    ]) {
      expect(run.output()).toMatch(new RegExp(`^ {2}- .*${name}`, 'm'));
    }
    expect(run.output()).not.toContain('LOG_LEVEL');
    expect(run.output()).not.toContain('too short\n');
    expect(run.output()).not.toMatch(/ at .*\.js:\d+/);
  });

  it('are the same in the log of a migration command', async () => {
    const run = runs.start({ DATABASE_URL: 'sqlite:./migrated.sqlite', LOG_FORMAT: 'json' }, MIGRATE);
    expect(await run.ended).toBe(0);
    const lines = run.output().trimEnd().split('\n');
    expect(lines.pop()).toBe('The database is migrated.');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(JSON.parse(line)).toEqual({
        level: 'info',
        time: expect.any(String),
        context: 'Database',
        msg: expect.stringMatching(/^migrat/i),
      });
    }
  });

  it('list for all addresses a reachable one, a valid token, and codes at any log level', async () => {
    const run = runs.start({ HOST: '0.0.0.0', TRUST_PROXY: '1', LOG_LEVEL: 'silent' });
    await run.untilOutput('Account ');
    expect(run.output()).toMatch(/^ {2}Console +http:\/\/localhost:\d+\/console$/m);
    const [, token] = /^ {2}Setup +http:\/\/localhost:\d+\/console\/setup#token=([\w-]{43})$/m.exec(run.output()) ?? [];
    const url = `http://127.0.0.1:${/localhost:(\d+)/.exec(run.output())?.[1]}/api/v1`;
    const body = { email: 'ada@example.com', username: 'ada', password: 'a long enough test password' };
    expectFailure(await call(`${url}/setup/administrator`, { body }), 403, 'SETUP_NOT_ALLOWED');
    expect((await call(`${url}/setup/administrator`, { body: { ...body, token } })).status).toBe(201);

    const purpose = { email: 'eve@example.com', purpose: 'register' };
    expect((await call(`${url}/auth/send_code`, { body: purpose })).status).toBe(200);
    await run.untilOutput('confirmation code');
    expect(run.output()).toMatch(/To: eve@example\.com\nSubject: \d{6} is your AI Chat confirmation code/);
  });
});
