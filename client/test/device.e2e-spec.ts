import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { createUser, type TestAccount } from '../../test/support/accounts';
import { DeviceSignIn } from '../../test/support/device-sign-in';
import { call } from '../../test/support/http';
import { useChatApp } from '../../test/support/use-app';

const CLIENT = resolve(__dirname, '..');
const execute = promisify(execFile);

type Stored = Record<string, { access_token: string; refresh_token: string; expires_at: number }>;

describe('signing in with the command line', () => {
  const app = useChatApp();
  let folder: string;
  let home: string;
  let user: TestAccount;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-device-'));
    await cp(join(CLIENT, 'bin'), join(folder, 'bin'), { recursive: true });
    const outfile = join(folder, 'dist/esm/index.js');
    await build({ entryPoints: [join(CLIENT, 'src/index.ts')], outfile, bundle: true, format: 'esm' });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });

  afterAll(() => rm(folder, { recursive: true }));

  beforeEach(async () => {
    home = await mkdtemp(join(folder, 'home-'));
    user = await createUser(app);
  });

  const start = (...options: string[]) =>
    spawn(process.execPath, [join(folder, 'bin/chat.mjs'), ...options], {
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  /** Runs the program to its end. */
  const run = async (...options: string[]) => {
    const child = start(...options);
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (texts.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (texts.stderr += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, ...texts };
  };
  const file = () => join(home, 'chat-service/credentials.json');
  const stored = async () => JSON.parse(await readFile(file(), 'utf8')) as Stored;
  const session = async () => (await stored())[app.origin];
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  /** Signs in; the user approves the code that the program shows. */
  const logIn = async (...options: string[]) => {
    const child = start('login', '--url', app.origin, ...options);
    let shown = '';
    for await (const text of child.stdout) {
      shown += String(text);
      const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(shown) ?? [];
      if (code !== undefined && !shown.includes('Signed in')) {
        const browser = new DeviceSignIn(app);
        await browser.lookUp(user.token, code);
        await browser.decide(user.token, code);
      }
    }
    return shown;
  };
  /** As if the access token had expired. */
  const expire = async () => {
    const sessions = await stored();
    for (const each of Object.values(sessions)) each.expires_at = 0;
    await writeFile(file(), JSON.stringify(sessions));
  };

  it('stores the session, which sends messages and returns tokens without a terminal', async () => {
    const shown = await logIn();
    expect(shown).toContain(`Open ${app.origin}/console/device in a browser`);
    expect(shown).toMatch(new RegExp(`Signed in to ${app.origin} as ${user.email}\\.\n$`));
    expect([await modeOf(file()), await modeOf(join(home, 'chat-service'))]).toEqual(['600', '700']);
    const [device] = (await call<SessionDto[]>(`${app.url}/user/sessions`, { token: user.token })).body;
    expect(device).toMatchObject({
      kind: 'device',
      client: { client_id: 'chat-service-client', surface: 'cli', device_name: hostname().slice(0, 64) },
      scopes: ['anthropic', 'openai', 'chat:read', 'chat:write'],
    });
    expect(await run('Hello')).toEqual({ code: 0, stdout: 'Hello from the model.\n', stderr: '' });
    const { stdout } = await run('token', '--url', app.origin);
    expect((await call(`${app.origin}/openai/v1/models`, { token: stdout.trim() })).status).toBe(200);
    expect((await run('whoami')).stdout).toBe(`${user.email}\n${app.origin}\nanthropic openai chat:read chat:write\n`);
  }, 60_000);

  it('refreshes once for many processes at once', async () => {
    await logIn('--scope', 'chat:read');
    await expire();
    const before = await session();
    const results = await Promise.all(Array.from({ length: 5 }, () => run('token')));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
    expect((await session())?.refresh_token).not.toBe(before?.refresh_token);
    expect((await call(`${app.url}/chat`, { token: results[0]?.stdout.trim() ?? '' })).status).toBe(200);
  }, 60_000);

  it('continues after a crash that left a lock or an open file', async () => {
    await logIn();
    await chmod(file(), 0o644);
    await chmod(join(home, 'chat-service'), 0o755);
    await writeFile(`${file()}.lock`, '');
    await execute('touch', ['-d', '2 minutes ago', `${file()}.lock`]);
    await expire();
    expect((await run('token')).code).toBe(0);
    expect([await modeOf(file()), await modeOf(join(home, 'chat-service'))]).toEqual(['600', '700']);
  }, 60_000);

  it('ends the session at the service', async () => {
    await logIn();
    const { access_token: token = '' } = (await session()) ?? {};
    expect(await run('logout')).toEqual({ code: 0, stdout: `Signed out of ${app.origin}.\n`, stderr: '' });
    expect((await call(`${app.url}/chat`, { token })).status).toBe(401);
    expect(await stored()).toEqual({});
    const signedOut = `You are signed out of ${app.origin}. Run: chat-service-client login --url ${app.origin}\n`;
    expect(await run('token', '--url', app.origin)).toEqual({ code: 1, stdout: '', stderr: signedOut });
  }, 60_000);

  it('reports a session that was ended elsewhere', async () => {
    await logIn();
    await call(`${app.url}/user/sessions`, { token: user.token, method: 'DELETE' });
    expect((await run('Hello')).stderr).toBe('The session has ended. Sign in again with the command login.\n');
    expect(await run('whoami')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^You are signed out of /) });
    expect(await stored()).toEqual({});
  }, 60_000);

  it.each([
    [['login', '--url', 'http://192.0.2.1'], /^Tokens are sent over https only/],
    [['login', '--url', 'http://localhost.example.com'], /^Tokens are sent over https only/],
    [['login', '--url', 'http://127.0.0.1:9'], /^http:\/\/127\.0\.0\.1:9 cannot be reached/],
  ])('refuses %j in one sentence', async (options, message) => {
    const { code, stderr, stdout } = await run(...options);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('refuses a scope that a device cannot have', async () => {
    const { code, stderr } = await run('login', '--url', app.origin, '--scope', 'admin:read');
    expect([code, stderr]).toEqual([1, 'A device cannot have this scope. Request another one.\n']);
  });

  it('sends no token to an address that calls itself another one, or redirects', async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      if (request.url?.startsWith('/away')) {
        response.writeHead(302, { location: app.origin }).end();
      } else {
        response.end(JSON.stringify({ issuer: app.origin, token_endpoint: `${app.origin}/oauth/token` }));
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await run('login', '--url', address)).stderr).toMatch(/^The service calls itself .* Use this address/);
    expect((await run('login', '--url', `${address}/away`)).stderr).toMatch(/cannot be reached/);
    expect(paths).toHaveLength(2);
    server.close();
  });
});
