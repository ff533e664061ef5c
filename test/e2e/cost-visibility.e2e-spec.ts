import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import { useAdmin, useChatApp, useClient } from '../support/use-app';

const PRICE = { input: '0.000001', output: '3.141592' };
const USAGE = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };

describe.each([
  ['shown', { COST_IN_RESPONSES: 'true' }, '0.000000000001'],
  ['not shown', { COST_IN_RESPONSES: 'false' }, null],
])('costs that are %s', (_case, settings, cost) => {
  const app = useChatApp({ ...settings, COST_CURRENCY: 'EUR' });
  const admin = useAdmin(app);
  const user = useClient(app);
  let key: string;

  beforeAll(() => admin.post('/admin/prices', { model: 'scripted', ...PRICE }));

  beforeEach(async () => {
    key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hi' }], usage: USAGE });
  });

  const shown = cost === null ? {} : { cost, currency: 'EUR' };
  const hidden = cost === null ? ['cost', 'currency'] : [];

  function expectShown(usage: object | null | undefined): void {
    expect(usage).toMatchObject(shown);
    expect(Object.keys(usage ?? {}).filter((name) => hidden.includes(name))).toEqual([]);
  }

  it('are in complete replies, and in later reads', async () => {
    const chat = await user.createChat({ title: 'Given' });
    const { body, headers } = await user.send(chat.id, key);
    expect(headers.get('x-cost')).toBe(cost);
    expectShown(body[1].token_usage);
    const read = (await user.request<MessageDto[]>(`/chat/${chat.id}/messages`)).body;
    expectShown(read.at(-1)?.token_usage);
  });

  it('are at the end of streams, and not in their headers', async () => {
    const chat = await user.createChat({ title: 'Given' });
    const body = { chat_id: chat.id, content: key };
    const { text, headers } = await user.request(`/chat/message?stream=true`, { body });
    expectShown(JSON.parse(text.split('__TOKEN_USAGE__')[1] ?? '') as object);
    expect(headers.get('x-cost')).toBeNull();
    for (const query of ['stream_format=sse', 'stream=true&stream_format=ui_message']) {
      const streamed = await user.request(`/chat/message?${query}`, { body });
      expect([query, /"cost":"([^"]+)"/.exec(streamed.text)?.[1] ?? null]).toEqual([query, cost]);
    }
  });

  it('include the remaining budget, if there is one', async () => {
    const { id: chatId, user_id: scope_id } = await user.createChat({ title: 'Given' });
    const leftOf = async () => (await user.send(chatId, key)).headers.get('x-budget-remaining');
    expect(await leftOf()).toBeNull();
    const { id } = await makeBudget(admin, { scope: 'user', scope_id, limit: '1' });
    expect(await leftOf()).toEqual(cost === null ? null : expect.stringMatching(/^0\.9\d+$/));
    await admin.delete(`/admin/budgets/${id}`);
  });

  it('are numbers for clients, digit for digit', async () => {
    const body = { model: 'General Assistant', messages: [{ role: 'user', content: key }] };
    const answer = await call(`${app.origin}/openai/v1/chat/completions`, { token: user.token, body });
    expect(/"cost":([^,}]+)/.exec(answer.text)?.[1] ?? null).toBe(cost);
    expect(answer.headers.get('x-cost')).toBe(cost);
    const responses = await call<{ id: string }>(`${app.origin}/openai/v1/responses`, {
      token: user.token,
      body: { model: 'General Assistant', input: key },
    });
    const again = await call(`${app.origin}/openai/v1/responses/${responses.body.id}`, { token: user.token });
    expect(/"cost":([^,}]+)/.exec(again.text)?.[1] ?? null).toBe(cost);
  });

  it('are in the statistics either way', async () => {
    const chat = await user.createChat({ title: 'Given' });
    await user.send(chat.id, key);
    expect((await user.request('/user/total-stats')).body).toMatchObject({
      total_cost: '0.000000000001',
      currency: 'EUR',
    });
  });
});
