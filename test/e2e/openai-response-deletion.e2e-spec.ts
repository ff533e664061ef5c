// @databases mariadb: locks and deadlocks
import { Database } from '../../src/database/database';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';

describe('deleting a response', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  const create = (body: object = {}) => client.create({ input: uniqueContent(), ...body });

  async function remove(...ids: string[]): Promise<void> {
    for (const id of ids) {
      expect((await client.request(`/responses/${id}`, { method: 'DELETE' })).status).toBe(200);
      expect((await client.request(`/responses/${id}`)).status).toBe(404);
    }
  }

  const itemsOf = async (id: string) => (await client.items(`/conversations/${id}/items?limit=100`)).data.length;
  const chats = async () => (await user.request<unknown[]>('/chat')).body.length;

  it('keeps the items of its conversation', async () => {
    const { body } = await client.request<{ id: string }>('/conversations', { body: {} });
    const [first, second] = [await create({ conversation: body.id }), await create({ conversation: body.id })];
    await remove(first.id);
    expect(await itemsOf(body.id)).toBe(4);
    await remove(second.id);
    expect(await itemsOf(body.id)).toBe(4);
    expect((await create({ conversation: body.id })).status).toBe('completed');
  });

  it('keeps a conversation that a later response named, in any order of deletion', async () => {
    for (const isReversed of [false, true]) {
      const first = await create();
      const second = await create({ conversation: first.conversation });
      const ids = [first.id, second.id];
      await remove(...(isReversed ? ids.reverse() : ids));
      expect(await itemsOf(first.conversation?.id ?? '')).toBe(4);
    }
  });

  it('keeps a conversation to which items were added', async () => {
    const { id, conversation } = await create();
    const items = [{ type: 'message', role: 'user', content: 'By the way.' }];
    await client.request(`/conversations/${conversation?.id}/items`, { body: { items } });
    await remove(id);
    expect(await itemsOf(conversation?.id ?? '')).toBe(3);
  });

  it('keeps a conversation in which its user wrote', async () => {
    const { id, conversation } = await create();
    await user.send(Number(conversation?.id.slice('conv_'.length)), uniqueContent());
    await remove(id);
    expect(await itemsOf(conversation?.id ?? '')).toBe(4);
  });

  it('moves a conversation of only deleted responses to the trash, including branches', async () => {
    const first = await create();
    const second = await create({ previous_response_id: first.id });
    const third = await create({ previous_response_id: first.id });
    await remove(second.id, first.id);
    expect(await chats()).toBe(1);
    await remove(third.id);
    expect(await chats()).toBe(0);
  });

  it('locks the same rows in the same order as the end of a reply: messages, the counters of the user, responses', async () => {
    const { id } = await create({ instructions: 'Be brief.' });
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    await remove(id);
    const statements = log.mock.calls.map(([sql]) => sql);
    log.mockRestore();
    const tables = ['chat_messages', 'usage_accounts', 'openai_responses'];
    const locking = statements.filter((sql) => !/^SELECT(?!.* FOR UPDATE)/.test(sql));
    const firstOf = (table: string): number => locking.findIndex((sql) => sql.includes(table));
    expect(tables.filter((table) => firstOf(table) !== -1).sort((one, other) => firstOf(one) - firstOf(other))).toEqual(
      tables,
    );
  });
});
