import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { uniqueContent } from '../../test/support/chat-client';
import { dataUrl, png, shownImage } from '../../test/support/sent-images';
import { useChatApp, useClient } from '../../test/support/use-app';

const ROOT = join(__dirname, '../..');
const CLIENTS = join(ROOT, 'test/clients');

describe.each([5, 6, 7])('useChat of version %d of the AI SDK, through the client', (version) => {
  const app = useChatApp();
  const client = useClient(app);
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'use-chat-'));
    program = join(folder, 'use-chat.mjs');
    await build({
      // Aliases are resolved from here.
      absWorkingDir: CLIENTS,
      entryPoints: ['use-chat.mjs'],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: {
        // The package of version 6 has no version in its folder name.
        ...(version !== 6 && { ai: `ai-${version}` }),
        'chat-service-client': join(ROOT, 'client/src/index.ts'),
        'chat-service-client/use-chat': join(ROOT, 'client/src/use-chat.ts'),
      },
      // The bundled libraries use `require` of Node.js.
      banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
      logLevel: 'error',
    });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('sends an image, regenerates, resumes after a reload and stops', async () => {
    const chat = await client.createChat();
    const [question, endless] = [uniqueContent(), uniqueContent()];
    await app.model.script({ key: endless, steps: [{ text: 'Half' }, { stall: true }] });
    const picture = png();
    const words = [program, app.origin, client.token, String(chat.id), question, endless, dataUrl(picture)];
    const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 60_000 });
    expect(JSON.parse(stdout)).toEqual({
      messages: [
        ['user', question],
        ['assistant', 'Hello from the model.'],
        ['user', endless],
        ['assistant', 'Half'],
      ],
      // Sent with its message and when that is regenerated, but not with the next message.
      pictures: 2,
      failure: [null, null, null],
    });
    const { messages } = await client.read(chat.id);
    expect(messages.map(({ content, status }) => [content, status])).toEqual([
      [question, 'completed'],
      ['Hello from the model.', 'completed'],
      [endless, 'completed'],
      ['Half', 'stopped'],
    ]);
    const said = { type: 'text', text: question };
    expect(messages[0]?.parts).toEqual([{ ...shownImage(picture), name: 'a.png' }, said]);
    const image = { type: 'image_url', image_url: { url: dataUrl(picture) } };
    const requests = await app.model.requests(question);
    expect(requests.map(({ body }) => body.messages.at(-1)?.content)).toEqual([
      [image, said],
      [image, said],
    ]);
  });
});
