import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { makeKey } from '../../test/support/api-keys';
import { type ChatClient, uniqueContent } from '../../test/support/chat-client';
import { call } from '../../test/support/http';
import { useChatApp } from '../../test/support/use-app';

const CLIENT = resolve(__dirname, '..');
const run = promisify(execFile);

describe('the client in a terminal', () => {
  const app = useChatApp();
  let folder: string;
  let options: string[];
  let user: ChatClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-terminal-'));
    await cp(join(CLIENT, 'bin'), join(folder, 'bin'), { recursive: true });
    await build({
      entryPoints: [join(CLIENT, 'src/index.ts')],
      outfile: join(folder, 'dist/esm/index.js'),
      bundle: true,
      format: 'esm',
    });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    user = await app.newClient();
    const { key } = await makeKey(app, user.token, { scopes: ['chat:read', 'chat:write'] });
    options = [join(folder, 'bin/chat.mjs'), '--url', app.origin, '--key', key];
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('prints the reply, and continues a conversation', async () => {
    const question = uniqueContent();
    await app.model.script({ key: question, steps: [{ text: 'Here ' }, { text: 'it is: 你好' }] });
    const { stdout } = await run(process.execPath, [...options, question]);
    expect(stdout).toBe('Here it is: 你好\n');
    const [chat] = (await call<{ id: number }[]>(`${app.url}/chat`, { token: user.token })).body;
    const id = chat?.id ?? 0;
    expect((await run(process.execPath, [...options, '--chat', String(id), 'Again'])).stdout).toBe(
      'Hello from the model.\n',
    );
    expect((await user.read(id)).messages).toHaveLength(4);
  });

  it('sends each line as a message', async () => {
    const program = spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    program.stdin.end('One\n\nTwo\n');
    expect((await text(program.stdout)).trim().split('\n')).toHaveLength(2);
  });

  /** Runs without a terminal, and returns what the program reports. */
  const fail = async (...given: string[]) => {
    const program = spawn(process.execPath, [options[0] ?? '', ...given], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [reported, code] = await Promise.all([
      text(program.stderr),
      new Promise((resolve) => program.once('exit', resolve)),
    ]);
    return { reported, code };
  };
  const count = async () => (await call<unknown[]>(`${app.url}/chat?limit=100`, { token: user.token })).body.length;

  it('needs only the scope that its help names', async () => {
    expect((await run(process.execPath, [options[0] ?? '', '--help'])).stdout).toMatch(/with the scope chat:write;/);
    const { key } = await makeKey(app, user.token, { scopes: ['chat:write'] });
    const { stdout } = await run(process.execPath, [options[0] ?? '', '--url', app.origin, '--key', key, 'Hello']);
    expect(stdout).toBe('Hello from the model.\n');
    const reading = await makeKey(app, user.token, { scopes: ['chat:read'] });
    const { reported, code } = await fail('--url', app.origin, '--key', reading.key, 'Hello');
    expect([reported, code]).toEqual([expect.stringMatching(/^SCOPE_REQUIRED: .*chat:write/), 1]);
  });

  it('refuses an agent that does not exist, and a text that is no id', async () => {
    const before = await count();
    const own = options.slice(1);
    expect((await fail(...own, '--agent', '999999999', 'Hello')).reported).toMatch(/^AGENT_NOT_FOUND: /);
    for (const [option, value] of [
      ['--agent', 'General assistant'],
      ['--agent', '0'],
      ['--chat', 'last'],
    ] as const) {
      expect(await fail(...own, option, value, 'Hello')).toEqual({
        reported: `${option} needs an id, which is a number, not "${value}".\n`,
        code: 2,
      });
    }
    expect((await fail(...own, '--agent', '1', '--chat', '1', 'Hello')).code).toBe(2);
    expect(await count()).toBe(before);
  });

  it.each(['ck_mistyped', 'no key', 'eyJhbGciOiJIUzI1NiJ9.e30.x'])(
    'says that a key is not valid, and never to sign in: %s',
    async (key) => {
      const { reported, code } = await fail('--url', app.origin, '--key', key, 'Hello');
      expect(reported).toMatch(/: The API key is not valid\./);
      expect(reported).not.toMatch(/sign in/i);
      expect(code).toBe(1);
    },
  );

  it('reports that there is no key, no message or no service', async () => {
    const before = await count();
    expect((await fail('--url', app.origin)).reported).toMatch(/^An API key is missing\. .*chat:write/);
    expect((await fail(...options.slice(1))).reported).toMatch(/^There is no message\./);
    expect((await fail('--url', 'http://127.0.0.1:9', '--key', 'ck_x', 'Hello')).reported).toMatch(
      /reached\. Check --url/,
    );
    expect((await fail('--wrong')).reported).toMatch(/--wrong[^]*Usage: chat-service-client/);
    expect(await count()).toBe(before);
  });

  it('reports why there is no reply', async () => {
    await expect(run(process.execPath, [...options, '--chat', '999999999', 'Hello'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^CHAT_NOT_FOUND: /) as unknown,
    });
  });
});
