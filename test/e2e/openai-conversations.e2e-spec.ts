// @databases mariadb mysql: requests at the same time
import type { ConversationDto } from '../../src/modules/openai/conversations/conversation.dto';
import { uniqueContent } from '../support/chat-client';
import { checkItem } from '../support/open-responses/check';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

describe('/openai/v1/conversations', () => {
  const app = useChatApp();
  const user = useClient(app);
  const other = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  async function make(body: object = {}): Promise<ConversationDto> {
    const { status, body: made } = await client.request<ConversationDto>('/conversations', { body });
    expect([status, made.object]).toEqual([200, 'conversation']);
    return made;
  }

  const textsOf = (items: object[]) =>
    items.map((item) => ('content' in item ? (item.content as { text?: string }[])[0]?.text : ''));

  it('are created with metadata, read, changed, and moved to the trash', async () => {
    const made = await make({ metadata: { topic: 'travel' } });
    const path = `/conversations/${made.id}`;
    expect((await client.request(path)).body).toEqual(made);
    const changed = await client.request(path, { body: { metadata: { topic: 'work' } } });
    expect(changed.body).toEqual({ ...made, metadata: { topic: 'work' } });
    expect((await client.request(path)).body).toEqual(changed.body);
    const many = await Promise.all(
      ['a', 'b', 'c', 'd'].map((topic) => client.request(path, { body: { metadata: { topic } } })),
    );
    expect(many.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await client.request(path, { method: 'DELETE' });
    expect(body).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true });
    for (const method of ['GET', 'DELETE']) {
      expectOpenAiFailure(await client.request(path, { method }), 404, 'CONVERSATION_NOT_FOUND', 'conversation_id');
    }
    expect((await user.request<unknown[]>('/chat/trash')).body).toHaveLength(1);
  });

  it("are the user's chats, and vice versa", async () => {
    const key = uniqueContent('chat');
    await app.model.script({ key, steps: [{ reasoning: 'Hm.' }, { text: 'From the chat.' }] });
    const chat = await user.createChat();
    await user.send(chat.id, key);
    const { data } = await client.items(`/conversations/conv_${chat.id}/items?order=asc`);
    expect(data.map(({ type }) => type)).toEqual(['message', 'reasoning', 'message']);
    const made = await make();
    const input = uniqueContent('door');
    await app.model.script({ key: input, steps: [{ text: 'From the door.' }] });
    const response = await client.create({ input, conversation: made.id });
    expect(response.conversation).toEqual({ id: made.id });
    const { messages } = await user.read(Number(made.id.slice(5)));
    expect(messages.map(({ content }) => content)).toEqual([input, 'From the door.']);
  });

  it('contain added items before a model is called', async () => {
    const items = [
      { role: 'system', content: 'Speak like a pirate.' },
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
    ];
    const { id } = await make({ items });
    const added = await client.request<{ data: object[] }>(`/conversations/${id}/items`, {
      body: {
        items: [
          { role: 'user', content: 'I live in Rome.' },
          { role: 'assistant', content: 'Nice.' },
        ],
      },
    });
    expect(textsOf(added.body.data)).toEqual(['I live in Rome.', 'Nice.']);
    added.body.data.forEach(checkItem);
    const input = uniqueContent('name');
    await client.create({ input, conversation: id });
    const [request] = await app.model.requests(input);
    const said = request?.body.messages.map(({ content }) => content).join('\n');
    for (const text of ['pirate', 'My name is Ada.', 'Hello Ada.', 'I live in Rome.', 'Nice.', input]) {
      expect(said).toContain(text);
    }
  });

  it('list their items in pages, in both directions, each item once', async () => {
    const items = Array.from({ length: 20 }, (_value, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `item ${index}`,
    }));
    const { id } = await make({ items });
    for (const order of ['asc', 'desc']) {
      const found: object[] = [];
      let after = '';
      for (let hasMore = true; hasMore;) {
        const page = await client.items(`/conversations/${id}/items?limit=7&order=${order}${after}`);
        found.push(...page.data);
        expect(page.last_id).toBe(page.data.at(-1)?.id);
        after = `&after=${page.last_id}`;
        hasMore = page.has_more;
      }
      const expected = items.map(({ content }) => content);
      expect(textsOf(found)).toEqual(order === 'asc' ? expected : expected.reverse());
    }
    const { data } = await client.items(`/conversations/${id}/items?limit=1`);
    const one = await client.request(`/conversations/${id}/items/${data[0]?.id}`);
    expect(one.body).toEqual(data[0]);
    const removed = await client.request(`/conversations/${id}/items/${data[0]?.id}`, { method: 'DELETE' });
    expectOpenAiFailure(removed, 400, 'ITEM_NOT_DELETABLE');
  });

  it('with more items than one batch are listed completely', async () => {
    const chat = await user.createChat();
    await app.storeMessages(chat.id, 250);
    const { data, has_more } = await client.items(`/conversations/conv_${chat.id}/items?limit=100&order=asc`);
    expect([data.length, has_more, textsOf(data).at(-1)]).toEqual([100, true, 'message 99']);
    const after = data[99]?.id;
    const next = await client.items(`/conversations/conv_${chat.id}/items?limit=100&order=asc&after=${after}`);
    expect(textsOf(next.data)[0]).toBe('message 100');
  });

  it('accept no items while a response is being written in them', async () => {
    const { id } = await make();
    const input = uniqueContent('busy');
    await app.model.script({ key: input, steps: [{ text: 'a' }, { hold: input }] });
    const running = client.create({ input, conversation: id });
    await app.model.waitFor('received', { key: input });
    const body = { items: [{ role: 'user', content: 'x' }] };
    const refused = await client.request(`/conversations/${id}/items`, { body });
    expectOpenAiFailure(refused, 409, 'GENERATION_IN_PROGRESS');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    await app.model.release(input);
    await running;
  });

  it('belong to their user only', async () => {
    const { id } = await make({ items: [{ role: 'user', content: 'secret' }] });
    const stranger = new ResponsesClient(app.origin, other.token, client.model);
    const item = (await client.items(`/conversations/${id}/items`)).data[0]?.id;
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { metadata: {} }],
      ['DELETE', ''],
      ['GET', '/items'],
      ['POST', '/items', { items: [{ role: 'user', content: 'x' }] }],
      ['GET', `/items/${item}`],
    ] as const) {
      const answer = await stranger.request(`/conversations/${id}${path}`, { method, body });
      expectOpenAiFailure(answer, 404, 'CONVERSATION_NOT_FOUND', 'conversation_id');
    }
    const mine = new ResponsesClient(app.origin, other.token, client.model);
    const made = await mine.request<ConversationDto>('/conversations', { body: {} });
    const foreign = await mine.request(`/conversations/${made.body.id}/items/${item}`);
    expectOpenAiFailure(foreign, 404, 'ITEM_NOT_FOUND', 'item_id');
    const after = await mine.request(`/conversations/${made.body.id}/items?after=${item}`);
    expectOpenAiFailure(after, 404, 'ITEM_NOT_FOUND', 'after');
  });

  it('are not created from invalid metadata', async () => {
    const answer = await client.request('/conversations', { body: { metadata: { a: 1 } } });
    expectOpenAiFailure(answer, 400, 'invalid_type', 'metadata.a');
    expect((await user.request<unknown[]>('/chat')).body).toEqual([]);
  });

  it('and responses are in the export', async () => {
    const { id } = await make({ metadata: { topic: 'travel' } });
    const response = await client.create({ input: uniqueContent(), conversation: id, instructions: 'Be kind.' });
    const { body } = await user.request<{ openai_responses: object[]; openai_conversations: object[] }>('/user/export');
    expect(body.openai_conversations).toEqual([{ id, chat_id: Number(id.slice(5)), metadata: { topic: 'travel' } }]);
    expect(body.openai_responses).toMatchObject([{ id: response.id, conversation: id, instructions: 'Be kind.' }]);
  });
});
