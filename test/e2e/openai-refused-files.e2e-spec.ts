import { randomBytes } from 'node:crypto';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useFileServer } from '../support/file-server';
import { call } from '../support/http';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** A unique text file. */
const newFile = () => `data:text/plain;base64,${btoa(randomBytes(50).toString('hex'))}`;
const FILE = newFile();

/** A refused request costs no download, no decoding and no disk space. */
describe('files in refused requests', () => {
  const app = useChatApp({ QUOTA_FREE_MESSAGES: '2', CONCURRENT_NORMAL: '1', WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const user = useClient(app);
  const files = useFileServer();

  const request = (path: string, body: object) =>
    call(`${app.origin}/openai/v1${path}`, { token: user.token, body: { model: 'General assistant', ...body } });

  /** The same files in both dialects. */
  const requests = (text: string): (() => ReturnType<typeof request>)[] => [
    () =>
      request('/responses', {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text },
              { type: 'input_file', file_data: FILE, filename: 'a.txt' },
              { type: 'input_file', file_url: files.url },
            ],
          },
        ],
      }),
    () =>
      request('/chat/completions', {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text },
              { type: 'file', file: { file_data: FILE } },
            ],
          },
        ],
      }),
  ];

  const statusOf = async (id: string) =>
    (await call<{ status: string }>(`${app.origin}/openai/v1/responses/${id}`, { token: user.token })).body.status;

  const blobs = () => app.app.get(Database).repository(BlobEntity).count();

  it.each([
    ['the quota of the day is used up', 'insufficient_quota'],
    ['too many replies run', 'TOO_MANY_CONCURRENT'],
  ])('are neither downloaded nor stored when %s', async (_why, code) => {
    const key = uniqueContent();
    const isRunning = code === 'TOO_MANY_CONCURRENT';
    await app.model.script(isRunning ? { key, hang: true } : { key, steps: [{ text: 'Done.' }] });
    const ids: string[] = [];
    for (const event of isRunning ? (['received'] as const) : (['completed', 'completed'] as const)) {
      const { id } = (await request('/responses', { input: key, background: true })).body as { id: string };
      ids.push(id);
      await app.model.waitFor(event, { key });
      await eventually(async () => isRunning || (await statusOf(id)) === 'completed');
    }
    const before = [await blobs(), files.connections];
    for (const send of requests(uniqueContent())) {
      expectOpenAiFailure(await send(), 429, code);
    }
    expect([await blobs(), files.connections]).toEqual(before);
    // A hanging request would delay the shutdown of the instance.
    await Promise.all(ids.map((id) => request(`/responses/${id}/cancel`, {})));
  });

  it('are removed when the messages cannot be stored', async () => {
    const agents = agentRequests(app, (await createAdmin(app)).token);
    const small = await createAgent(agents, { status: 'active', context_max_tokens: 256 });
    const key = uniqueContent();
    await app.model.script({ key, hang: true });
    const conversation = (await request('/conversations', {})).body as { id: string };
    const running = { input: key, background: true, conversation: conversation.id };
    const { id } = (await request('/responses', running)).body as { id: string };
    await app.model.waitFor('received', { key });
    const before = await blobs();
    const items = [{ role: 'user', content: [{ type: 'input_file', file_data: newFile() }] }];
    const busy = await request(`/conversations/${conversation.id}/items`, { items });
    expectOpenAiFailure(busy, 409, 'GENERATION_IN_PROGRESS');
    await request(`/responses/${id}/cancel`, {});
    const tooLong = { model: small.name, input: [...items, { role: 'user', content: 'word '.repeat(2_000) }] };
    expectOpenAiFailure(await request('/responses', tooLong), 400, 'context_length_exceeded', 'input');
    expect(await blobs()).toBe(before);
  });
});
