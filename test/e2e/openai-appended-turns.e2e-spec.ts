// @databases mariadb: requests at the same time
import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useAdmin, useChatApp, useClient } from '../support/use-app';
import { WebhookReceiver } from '../support/webhook-receiver';

interface Stats {
  today_stats: { today_messages: number; today_tokens: number };
  total_stats: { total_messages: number; total_tokens: number };
}

const said = (role: string, content: string) => ({ role, content });
const TURNS = [said('system', 'Be brief.'), said('user', 'Hello.'), said('assistant', 'Hi.')];

/** Every stored turn counts as a message and sends an event, even without a model call. */
describe('turns that a client adds', () => {
  const app = useChatApp();
  const user = useClient(app);
  const admin = useAdmin(app);
  let client: ResponsesClient;
  let userId: number;

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    userId = (await user.request<{ id: number }>('/auth/me')).body.id;
  });

  const make = async (body: object = {}): Promise<string> =>
    (await client.request<{ id: string }>('/conversations', { body })).body.id;

  const add = (id: string, items: object[], headers = {}, token = user.token) =>
    new ResponsesClient(app.origin, token, '').request<{ data: object[] }>(`/conversations/${id}/items`, {
      body: { items },
      headers,
    });

  /** Messages and tokens of today and in total, and the messages counted towards the daily quota. */
  async function counted(): Promise<number[]> {
    const { today_stats, total_stats } = (await user.request<Stats>('/user/usage-stats')).body;
    const quota = (await user.request<{ messages: { used: number } }>('/user/quota')).body;
    const ofDay = Object.entries(today_stats).filter(([name]) => name !== 'today_cost');
    const sums = [...ofDay.map(([, value]) => value), ...Object.values(total_stats).slice(0, 2)];
    return [...sums, quota.messages.used];
  }

  const ledger = async () =>
    (
      await app.app
        .get(Database)
        .repository(UsageEntryEntity)
        .find({ where: { userId }, order: { messageId: 'ASC' } })
    ).map(({ role, status, tokens, model }) => [role, status, tokens, model]);

  it('count as messages, without tokens and quota', async () => {
    const id = await make({ items: TURNS });
    expect(await counted()).toEqual([3, 0, 3, 0, 0]);
    await add(id, [said('user', 'More.'), said('assistant', 'Yes.')]);
    expect(await counted()).toEqual([5, 0, 5, 0, 0]);
    expect(await ledger()).toEqual(
      ['system', 'user', 'assistant', 'user', 'assistant'].map((role) => [role, null, 0, null]),
    );
    const usage = await admin.get<{ items: { messages: number; user_messages: number; failed_replies: number }[] }>(
      `/admin/stats/usage?group_by=user&user_id=${userId}`,
    );
    expect(usage.body.data.items).toMatchObject([{ messages: 5, user_messages: 2, failed_replies: 0 }]);
  });

  it('count with a response too, in whose input only the last turn is a request', async () => {
    const input = [...TURNS, said('user', uniqueContent())];
    await client.create({ input });
    const [messages, tokens, , , quota] = await counted();
    expect([messages, quota]).toEqual([5, 1]);
    expect(tokens).toBeGreaterThan(0);
    expect((await ledger()).map(([role]) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    await client.create({ input, store: false });
    expect((await counted()).filter((_count, index) => index % 2 === 0)).toEqual([7, 7, 2]);
  });

  it('count once, however often their request is repeated', async () => {
    const id = await make();
    const headers = { 'idempotency-key': randomUUID() };
    await Promise.all(Array.from({ length: 10 }, () => add(id, TURNS, headers)));
    const input = [...TURNS, said('user', uniqueContent())];
    const key = { 'idempotency-key': randomUUID() };
    await Promise.all(Array.from({ length: 5 }, () => client.post({ input }, key)));
    expect((await counted())[0]).toBe(3 + 5);
    expect(await ledger()).toHaveLength(3 + 5);
  });

  it('count exactly in fifty concurrent requests, in several conversations', async () => {
    const ids = [await make(), await make(), await make()];
    const input = said('user', uniqueContent('beside'));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_value, index) =>
        add(ids[index % 3] as string, [said('user', 'x'), said('assistant', 'y')]),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    await client.create({ input: [input] });
    expect((await counted())[0]).toBe(102);
    for (const [index, id] of ids.entries()) {
      const { message_count, messages } = await user.read(Number(id.slice(5)));
      expect([message_count, messages.length]).toEqual(index < 2 ? [34, 34] : [32, 32]);
      expect(messages.map(({ parent_id }) => parent_id)).toEqual([null, ...messages.map((one) => one.id)].slice(0, -1));
    }
  });

  it('count for the API key that they use', async () => {
    const { id, key } = await makeKey(app, user.token, { scopes: ['openai', 'usage:read'] });
    await add(await make(), TURNS, {}, key);
    const path = `/admin/stats/usage?group_by=api_key&user_id=${userId}`;
    const usage = await admin.get<{ items: { key: unknown; messages: number; user_messages: number }[] }>(path);
    expect(usage.body.data.items).toMatchObject([{ messages: 3, user_messages: 1 }]);
    expect(id).toEqual(expect.any(Number));
  });

  it('are sent as message.created, each with its role', async () => {
    const receiver = await WebhookReceiver.start();
    const body = { url: receiver.url(), events: ['message.created'], include_content: true };
    expect((await user.request('/webhooks', { body })).status).toBe(201);
    const id = await make({ items: TURNS });
    await add(id, [said('user', 'More.')]);
    const question = uniqueContent();
    const { id: responseId } = await client.create({ input: [...TURNS, said('user', question)] });
    const received = await receiver.waitFor(3 + 1 + 4);
    await receiver.stop();
    const told = received
      .map((delivery) => delivery.body.data as { message_id: number; role: string; content: string; status: string })
      .sort((one, other) => one.message_id - other.message_id);
    const turns = TURNS.map(({ role, content }) => [role, content]);
    expect(told.map(({ role, content }) => [role, content])).toEqual([
      ...turns,
      ['user', 'More.'],
      ...turns,
      ['user', question],
    ]);
    expect(told.every(({ status }) => status === 'completed')).toBe(true);
    const conversation = await user.read(Number(id.slice(5)));
    expect(told.slice(0, 4).map(({ message_id }) => message_id)).toEqual(conversation.messages.map((one) => one.id));
    expect(responseId).toMatch(/^resp_/);
  });
});
