import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultsOf } from '../support/acting';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import {
  type RunningServer,
  startEverything,
  startFilesystem,
  startMemory,
  startModern,
} from '../support/mcp/real-servers';

/** Unmodified, as published. */
describe('agents that call tools on third-party servers', () => {
  const { trusted, servers, chatWith, asking, actionOf, approve } = useMcpCalls();
  let folder: string;
  let running: RunningServer | undefined;

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'mcp-'))));

  afterEach(async () => {
    await running?.close();
    running = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  it('call server-everything, over Streamable HTTP', async () => {
    running = await startEverything();
    const { label, id } = await trusted({ url: running.url });
    expect((await servers.toolsOf(id)).length).toBeGreaterThan(5);
    const { reply } = await asking(await chatWith({ name: `${label}__echo`, policy: 'auto' }), `${label}__echo`, {
      message: 'Hello from afar',
    });
    expect(resultsOf(reply)).toEqual([expect.stringContaining('Hello from afar')]);
  });

  it('read a file with server-filesystem, and no other file', async () => {
    await writeFile(join(folder, 'note.txt'), 'Buy milk.');
    running = await startFilesystem(folder);
    const { label } = await trusted({ url: running.url });
    const name = `${label}__read_text_file`;
    const chatId = await chatWith({ name, policy: 'auto' });
    const { reply } = await asking(chatId, name, { path: join(folder, 'note.txt') });
    expect(resultsOf(reply)).toEqual([expect.stringContaining('Buy milk.')]);
    const { reply: refused } = await asking(chatId, name, { path: '/etc/hostname' });
    expect(resultsOf(refused)).toEqual([expect.stringContaining('denied')]);
  });

  it('write to server-memory once a person has approved it', async () => {
    const file = join(folder, 'memory.jsonl');
    running = await startMemory(file);
    const { label } = await trusted({ url: running.url });
    const name = `${label}__create_entities`;
    const chatId = await chatWith({ name });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }];
    await asking(chatId, name, { entities });
    await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT');
    await approve(chatId, await actionOf(chatId));
    expect(await readFile(file, 'utf8')).toContain('likes tea');
  });

  it('call a server that supports nothing older than 2026-07-28', async () => {
    const modern = await startModern();
    running = modern;
    const { label, id } = await trusted({ url: modern.url });
    expect((await servers.toolsOf(id)).map(({ name }) => name)).toEqual(['add']);
    const name = `${label}__add`;
    const chatId = await chatWith({ name });
    await asking(chatId, name, { note: 'Buy milk.' });
    expect(modern.notes).toEqual([]);
    expect(resultsOf(await approve(chatId, await actionOf(chatId)))).toEqual(['There are 1 notes.']);
    expect(modern.notes).toEqual(['Buy milk.']);
  });
});
