// @databases mariadb mysql: query plans
import { Database } from '../../src/database/database';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

describe('conversations', () => {
  const app = useChatApp();
  const client = useClient(app);

  describe('listing', () => {
    const list = (query = '') => client.request<ChatDto[]>(`/chat${query}`);

    it('has the one with the newest message or edit first, and returns the total length', async () => {
      const [a, b, c] = [await client.createChat(), await client.createChat(), await client.createChat()];
      await client.send(a.id, uniqueContent());
      await client.request(`/chat/${b.id}`, { method: 'PUT', body: { is_pinned: true } });
      const all = await list();
      expect(all.headers.get('x-total-count')).toBe('3');
      expect(all.body.map(({ id }) => id)).toEqual([b.id, a.id, c.id]);
      expect(all.body[0]).not.toHaveProperty('messages');
      const part = await list('?limit=1&offset=1');
      expect(part.headers.get('x-total-count')).toBe('3');
      expect(part.body.map(({ id }) => id)).toEqual([a.id]);
      expect((await list('?offset=9')).body).toEqual([]);
    });

    it('returns any text of a conversation and its messages unchanged', async () => {
      const text = 'Quotes “" \\ <b>, lines\n\t, 日本 😀 \u2028 é';
      const body = { title: text.replace(/\s+/g, ' '), tags: ['"a"', 'ü😀'] };
      const { id } = await client.createChat();
      const { body: chat } = await client.request<ChatDto>(`/chat/${id}`, { method: 'PUT', body });
      expect(chat).toMatchObject(body);
      expect((await list()).body).toEqual([chat]);
      await client.send(id, text);
      const [question, reply] = (await client.request<ChatDto>(`/chat/${id}`)).body.messages ?? [];
      expect([question?.content, reply?.role]).toEqual([text, 'assistant']);
    });

    it("returns each conversation's newest 50 messages in one page", async () => {
      const [long, short, empty] = [await client.createChat(), await client.createChat(), await client.createChat()];
      await app.storeMessages(long.id, 120);
      await app.storeMessages(short.id, 3);
      const { body } = await list('?include_messages=true');
      const messages = new Map(body.map((chat) => [chat.id, chat.messages?.map(({ content }) => content)]));
      expect(messages.get(long.id)).toEqual(Array.from({ length: 50 }, (_value, index) => `message ${index + 70}`));
      expect(messages.get(short.id)).toEqual(['message 0', 'message 1', 'message 2']);
      expect(messages.get(empty.id)).toEqual([]);
    });

    it.each(['true', 'True', 'TRUE', '1'])('treats %j as a switch that is on', async (value) => {
      const { id } = await client.createChat();
      const { body } = await list(`?limit=1&include_messages=${value}`);
      expect(body).toMatchObject([{ id, messages: [] }]);
      const off = value.startsWith('T') ? 'False' : 'false';
      expect((await list(`?limit=1&include_messages=${off}`)).body[0]).not.toHaveProperty('messages');
    });

    it('uses the same number of statements for any page', async () => {
      for (let index = 0; index < 5; index++) {
        await app.storeMessages((await client.createChat()).id, 2);
      }
      const one = await statementsOf(() => list('?limit=1&include_messages=true'));
      const all = await statementsOf(() => list('?limit=5&include_messages=true'));
      expect(all).toBe(one);
      expect(one).toBeLessThanOrEqual(4);
    });

    it('filters', async () => {
      const { id: agentId } = await createAgent(agentRequests(app, (await createAdmin(app)).token), {
        status: 'active',
      });
      const chat = await client.createChat({ title: 'Other agent', agent_id: agentId });
      const archived = await client.createChat({ title: 'Archived' });
      await client.request(`/chat/${archived.id}`, { method: 'PUT', body: { is_archived: true } });
      const titles = async (query: string) => (await list(query)).body.map(({ title }) => title);
      expect(await titles('?is_archived=true')).toEqual(['Archived']);
      expect(await titles('?is_archived=false')).toEqual(['Other agent']);
      expect(await titles('')).toEqual(['Archived', 'Other agent']);
      expect(await titles(`?agent_id=${agentId}`)).toEqual([chat.title]);
      expect((await list(`?agent_id=${agentId}`)).headers.get('x-total-count')).toBe('1');
    });

    it('filters pinned ones, also in a search', async () => {
      const pinned = await client.createChat({ title: 'Lisbon, pinned' });
      await client.createChat({ title: 'Lisbon' });
      await client.request(`/chat/${pinned.id}`, { method: 'PUT', body: { is_pinned: true } });
      const titles = async (query: string) => (await list(query)).body.map(({ title }) => title);
      expect(await titles('?is_pinned=true&is_archived=false')).toEqual(['Lisbon, pinned']);
      expect(await titles('?is_pinned=true&is_archived=true')).toEqual([]);
      expect(await titles('?is_pinned=false')).toEqual(['Lisbon']);
      expect(await titles('?q=lisbon&is_pinned=true')).toEqual(['Lisbon, pinned']);
      expect((await list('?is_pinned=true')).headers.get('x-total-count')).toBe('1');
    });

    it.each(['travel', '旅行 🧳', 'a"b', '\\', ',', '%', "O'Hara", '<b>'])('filters by the tag %j', async (tag) => {
      const labelled = await client.createChat({ title: 'Lisbon, labelled' });
      const others = [tag.toUpperCase() + '.', `${tag}${tag}`, `${tag}\u0301`, 'Travel', 'TRAVEL'];
      const other = await client.createChat({ title: 'Lisbon' });
      await client.request(`/chat/${labelled.id}`, { method: 'PUT', body: { tags: ['Before', tag] } });
      await client.request(`/chat/${other.id}`, { method: 'PUT', body: { tags: others } });
      const query = `tag=${encodeURIComponent(tag)}`;
      const { body, headers } = await list(`?${query}`);
      expect(body.map(({ id }) => id)).toEqual([labelled.id]);
      expect(headers.get('x-total-count')).toBe('1');
      expect((await list(`?q=lisbon&${query}`)).body.map(({ id }) => id)).toEqual([labelled.id]);
      expect((await list(`?is_archived=true&${query}`)).body).toEqual([]);
    });

    it('returns the right length after any concurrent changes', async () => {
      const [kept, archived, back] = [await client.createChat(), await client.createChat(), await client.createChat()];
      const change = (id: number, path: string, method: string, body?: object) =>
        client.request(`/chat/${id}${path}`, { method, body });
      const times = (count: number, request: () => Promise<unknown>) => Array.from({ length: count }, request);
      await Promise.all([
        ...times(5, () => change(archived.id, '', 'PUT', { is_archived: true })),
        ...times(5, () => change(back.id, '', 'PUT', { is_archived: true })),
        ...times(5, () => change(kept.id, '', 'DELETE')),
        ...times(5, () => client.createChat()),
      ]);
      await change(back.id, '', 'DELETE');
      await Promise.all([
        ...times(5, () => change(back.id, '/restore', 'POST')),
        ...times(5, () => change(kept.id, '/restore', 'POST')),
        ...times(5, () => change(archived.id, '', 'PUT', { is_archived: false })),
      ]);
      for (const [query, length] of [
        ['?is_archived=true', 1],
        ['?is_archived=false', 7],
        ['', 8],
      ] as const) {
        const { body, headers } = await list(query);
        expect([body.length, headers.get('x-total-count')]).toEqual([length, String(length)]);
      }
    });

    it.each([
      ['LISBON', 'lisbon'],
      ['lisbon', 'LISBON'],
      ['groß', 'GROß'],
      ['ÄPFEL', 'äpfel'],
      ['äpfel', 'Äpfel'],
      ['привет мир', 'Привет Мир'],
      ['100%', '100%'],
      ['a_b', 'a_b'],
      ["O'Hara", "o'hara"],
      ['旅行', '旅行の計画'],
    ])('finds %j in %j, in titles and in messages', async (q, text) => {
      const titled = await client.createChat({ title: `My ${text} notes` });
      const written = await client.createChat({ title: 'Else' });
      await client.createChat({ title: 'aXb 100 Nothing' });
      await app.storeMessages(written.id, 1, `about ${text} again`);
      const { body, headers } = await list(`?q=${encodeURIComponent(q)}`);
      expect(body.map(({ id }) => id)).toEqual([written.id, titled.id]);
      expect(headers.get('x-total-count')).toBe('2');
    });

    it('refuses an invalid limit', async () => {
      expectFailure(await list('?limit=0'), 400, 'VALIDATION_ERROR');
    });
  });

  describe('reading', () => {
    it('returns up to 1,000 newest messages and whether there are more', async () => {
      const chat = await client.createChat();
      await app.storeMessages(chat.id, 1_003);
      const read = await client.read(chat.id);
      expect(read.messages).toHaveLength(1_000);
      expect([read.messages[0]?.content, read.messages.at(-1)?.content]).toEqual(['message 3', 'message 1002']);
      expect(read.has_more_messages).toBe(true);
      const small = await client.createChat();
      expect(await client.read(small.id)).toMatchObject({
        messages: [],
        has_more_messages: false,
        agent: { id: small.agent_id },
      });
    });
  });

  /**
   * The number of SELECTs on the conversation tables for a request; the search for abandoned replies runs concurrently.
   */
  async function statementsOf(request: () => Promise<unknown>): Promise<number> {
    const { logger } = app.app.get(Database).manager.dataSource;
    const log = jest.spyOn(logger, 'logQuery');
    await request();
    const isOurs = (query: string) => /\bFROM\s+["`]?chat/.test(query) && !query.includes('owner');
    const count = log.mock.calls.filter(([query]) => isOurs(query)).length;
    log.mockRestore();
    return count;
  }
});
