// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import type { ConversationDto } from '../../src/modules/openai/conversations/conversation.dto';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { StoredMetadataEntity } from '../../src/modules/usage/storage/stored-metadata.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useClient, useOwnChatApp } from '../support/use-app';

const LIMIT = 1_048_576;
const DAY = 86_400_000;

/** The minimum count for an item. */
const LEAST = 256;

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Everything that a client has stored counts, so that no account uses more disk space than its plan allows. */
describe('the storage count of an account', () => {
  const app = useOwnChatApp({ QUOTA_FREE_STORAGE_MB: '1', CONCURRENT_NORMAL: '100' });
  const user = useClient(app);
  let client: ResponsesClient;
  let conversation: string;

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    conversation = (await client.request<ConversationDto>('/conversations', { body: {} })).body.id;
  });

  const used = async () => (await user.request<QuotaDto>('/user/quota')).body.storage.used;
  const post = (path: string, body: object) => client.request<ConversationDto>(path, { body });
  const add = (...items: object[]) => post(`/conversations/${conversation}/items`, { items });

  /** The count that storing these items adds. */
  async function counted(...items: object[]): Promise<number> {
    const before = await used();
    expect((await add(...items)).status).toBe(200);
    return (await used()) - before;
  }

  it('includes the text of an item, and at least the size of its rows', async () => {
    expect(await used()).toBe(0);
    expect(await counted({ role: 'user', content: '日本'.repeat(500) })).toBe(3_000);
    expect(await counted({ role: 'user', content: '' }, { role: 'assistant', content: 'a' })).toBe(2 * LEAST);
    const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{"a":1}' };
    expect(await counted(call)).toBe(LEAST);
  });

  it('includes each part of an item, even an empty one', async () => {
    const parts = Array.from({ length: 1_000 }, () => ({ type: 'input_text', text: '' }));
    expect(await counted({ role: 'user', content: parts })).toBe(
      bytesOf(parts.map(() => ({ type: 'text', text: '' }))),
    );
  });

  it('includes names: of calls, tool groups and files', async () => {
    const long = '日'.repeat(256);
    const call = { type: 'function_call', call_id: long, name: long, namespace: long, arguments: '' };
    expect(await counted(call)).toBeGreaterThan(3 * 3 * 256);
    const file = (name: string) => ({ type: 'input_file', filename: name, file_data: 'YQ==' });
    const files = Array.from({ length: 20 }, () => file('é'.repeat(255)));
    expect(await counted({ role: 'user', content: files })).toBeGreaterThan(20 * (2 * 255 + 64));
    // The file is known by now, its names are not.
    expect(await counted({ role: 'user', content: files })).toBeGreaterThan(20 * (2 * 255 + 64));
  });

  it('includes a summary, each time that it is stored', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'A long story. '.repeat(1_000) }] });
    const { body } = await client.request<{ output: { type: string; encrypted_content?: string }[] }>(
      '/responses/compact',
      { body: { model: client.model, input: key } },
    );
    const summary = body.output.find(({ type }) => type === 'compaction') ?? { type: 'none' };
    const sealed = summary.encrypted_content?.length ?? 0;
    expect(sealed).toBeGreaterThan(1_000);
    expect(await counted(summary, { role: 'user', content: 'on' }, summary)).toBeGreaterThan(2 * sealed);
  });

  describe('with a conversation', () => {
    const metadata = (letter: string) =>
      Object.fromEntries(Array.from({ length: 16 }, (_pair, index) => [`k${index}`, letter.repeat(500)]));
    const made = async (body: object = { metadata: metadata('x') }) => (await post('/conversations', body)).body.id;
    const purge = () => app.app.get(ChatRetention).purge();

    it('includes its current metadata', async () => {
      const id = await made();
      expect(await used()).toBe(bytesOf(metadata('x')));
      await post(`/conversations/${id}`, { metadata: metadata('é') });
      expect(await used()).toBe(bytesOf(metadata('é')));
      const changes = ['a', 'é', 'b', '日'].map((letter) =>
        post(`/conversations/${id}`, { metadata: metadata(letter) }),
      );
      await Promise.all(changes);
      const { body } = await client.request<ConversationDto>(`/conversations/${id}`);
      expect(await used()).toBe(bytesOf(body.metadata));
      await post(`/conversations/${id}`, { metadata: { topic: 'sea' } });
      expect(await used()).toBe(bytesOf({ topic: 'sea' }));
    });

    it('is reduced when the conversation leaves the trash, or the account is erased', async () => {
      const [first] = [await made(), await made()];
      await client.request(`/conversations/${first}`, { method: 'DELETE' });
      expect(await used()).toBe(2 * bytesOf(metadata('x')));
      app.advanceClock(31 * DAY);
      await purge();
      app.resetClock();
      expect(await used()).toBe(bytesOf(metadata('x')));
      const { id: userId } = (await user.request<{ id: number }>('/auth/me')).body;
      for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
        await erase(userId);
      }
      expect(await app.app.get(Database).repository(StoredMetadataEntity).countBy({ userId })).toBe(0);
    });

    it('is refused beyond the limit, and then nothing is stored', async () => {
      const id = await made({});
      await add({ role: 'user', content: 'x'.repeat(600_000) }, { role: 'user', content: 'x'.repeat(LIMIT - 601_000) });
      const chats = async () => (await user.request<object[]>('/chat')).body.length;
      const before = [await chats(), await used()];
      const refused = [
        await post('/conversations', { metadata: metadata('x') }),
        await post('/conversations', { metadata: metadata('x'), items: [{ role: 'user', content: 'a' }] }),
        await post(`/conversations/${id}`, { metadata: metadata('x') }),
      ];
      refused.forEach((answer) => expectOpenAiFailure(answer, 413, 'STORAGE_QUOTA_EXCEEDED'));
      expect([await chats(), await used()]).toEqual(before);
      expect((await client.request<ConversationDto>(`/conversations/${id}`)).body.metadata).toEqual({});
      expect((await post(`/conversations/${id}`, { metadata: { topic: 'sea' } })).status).toBe(200);
    });
  });
});
