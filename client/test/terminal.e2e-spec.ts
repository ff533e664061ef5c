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
    await cp(join(CLIENT, 'bin/chat.mjs'), join(folder, 'bin/chat.mjs'));
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

  it('reports why there is no reply', async () => {
    await expect(run(process.execPath, [...options, '--chat', '999999999', 'Hello'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^CHAT_NOT_FOUND: /) as unknown,
    });
  });
});
