import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { fromStored } from '../../src/modules/budget/windows/window-amounts';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { allHolds, makeBudget, money, windowsOf } from '../support/budgets';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { management, rounds } from '../support/compactions';
import { call, expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const LIMIT = '1000000';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };

/** The same for each model, so that what is held for them can be compared. */
const TEXT = 'The same question for everybody.';

const FUNCTION = { type: 'function', function: { name: 'look', description: 'Looks something up.', parameters: {} } };
let models = 0;

describe('what is held for a request', () => {
  const app = useOwnChatApp({ BUDGET_ASSUMED_OUTPUT: '1000' });
  const admin = useAdmin(app);
  let client: ChatClient;
  let userId: number;

  beforeEach(async () => {
    client = await app.newClient();
    ({ id: userId } = (await client.request<{ id: number }>('/users/me')).body);
  });

  afterEach(async () => {
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(await allHolds(app)).toEqual([]);
  });

  const ofUser = (limit: string, more: object = {}) =>
    makeBudget(admin, { scope: 'user', scope_id: userId, limit, ...more });

  /** A model with this price; null: it has none. */
  async function modelAt(price: object | null): Promise<string> {
    const model = `estimated-${++models}`;
    if (price !== null) {
      const made = await admin.post('/admin/prices', { model, input: '0', output: '0', ...price });
      expect(made.status).toBe(201);
    }
    return model;
  }

  async function agentOf(model: string, fields: object = {}): Promise<{ id: number; name: string }> {
    const made = await admin.post<{ id: number; name: string }>('/agents', {
      name: `Agent ${model}`,
      model,
      ...fields,
    });
    expect(made.status).toBe(201);
    return made.body.data;
  }

  const complete = (name: string, request: object = {}) =>
    call(`${app.origin}/openai/v1/chat/completions`, {
      token: client.token,
      body: { model: name, messages: [{ role: 'user', content: TEXT }], ...request },
    });

  /** What is held for a request to this agent, in pico-units. */
  async function heldFor(name: string, request: object = {}): Promise<bigint> {
    const { id } = await ofUser(LIMIT);
    const answer = await complete(name, request);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await admin.delete(`/admin/budgets/${id}`);
    return money(LIMIT) - money(answer.headers.get('x-budget-remaining') ?? '');
  }

  it.each<[string, object, object, object, string]>([
    ['the output that is assumed', { output: '1' }, {}, {}, '0.001'],
    ['the output that the agent allows', { output: '1' }, { model_params: { max_tokens: 50 } }, {}, '0.00005'],
    [
      'the output that the request allows',
      { output: '1' },
      { model_params: { max_tokens: 50 } },
      { max_tokens: 7 },
      '0.000007',
    ],
    ['reasoning, where it is dearer than output', { output: '1', reasoning: '3' }, {}, {}, '0.003'],
    ['output, where it is dearer than reasoning', { output: '2', reasoning: '1' }, {}, {}, '0.002'],
    ['the dearest tier', { output: '1', tiers: [{ min_context: 90_000_000, output: '5' }] }, {}, {}, '0.005'],
    ['the request', { per_request: '0.25' }, {}, {}, '0.25'],
    [
      'each image',
      { per_image: '0.5' },
      {},
      { messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }, IMAGE, IMAGE] }] },
      '1',
    ],
  ])('is %s', async (_what, price, fields, request, expected) => {
    const { name } = await agentOf(await modelAt(price), fields);
    expect(await heldFor(name, request)).toBe(money(expected));
  });

  it('is that of the dearest of the models that may answer', async () => {
    const [cheap, dear, unpriced] = [
      await modelAt({ output: '1' }),
      await modelAt({ output: '9' }),
      await modelAt(null),
    ];
    const { name } = await agentOf(cheap, { fallback_models: [unpriced, dear] });
    expect(await heldFor(name)).toBe(money('0.009'));
  });

  it('is the prompt at the dearest of its prices, functions included', async () => {
    const heldAt = async (price: object, request: object = {}) =>
      heldFor((await agentOf(await modelAt(price), { name: `Agent ${1_000 + models}` })).name, request);
    const plain = await heldAt({ input: '1' });
    expect(plain).toBeGreaterThan(money('0.000005'));
    expect(await heldAt({ input: '1', cached_input: '4' })).toBe(4n * plain);
    expect(await heldAt({ input: '1', cached_input: '4', cache_write: '5' })).toBe(5n * plain);
    expect(await heldAt({ input: '1', cached_input: '0.5' })).toBe(plain);
    expect(await heldAt({ input: '1' }, { tools: [FUNCTION] })).toBeGreaterThan(plain + money('0.000005'));
  });

  it('has the tools of the agent in its prompt', async () => {
    const held: bigint[] = [];
    for (const tools of [[], [{ name: 'calculate' }]]) {
      const { id: agent_id } = await agentOf(await modelAt({ input: '1' }), { tools });
      const { id } = await ofUser(LIMIT);
      const { status, headers } = await client.send((await client.createChat({ agent_id })).id, TEXT);
      expect(status).toBe(200);
      held.push(money(LIMIT) - money(headers.get('x-budget-remaining') ?? ''));
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(held[1]).toBeGreaterThan((held[0] ?? 0n) + money('0.000005'));
  });

  it('has the images of the conversation too, and is what images and requests cost in the end', async () => {
    const { id: agent_id } = await agentOf(await modelAt({ per_request: '0.25', per_image: '0.5' }));
    const { id } = await ofUser('100');
    const { id: chat_id } = await client.createChat({ agent_id, title: 'Given' });
    const parts = [
      { type: 'text', text: TEXT },
      { type: 'image', url: IMAGE.image_url.url },
    ];
    const answers = [
      await client.request('/chat/message', { body: { chat_id, parts } }),
      await client.send(chat_id, TEXT),
    ];
    expect(answers.map(({ headers }) => [headers.get('x-cost'), headers.get('x-budget-remaining')])).toEqual([
      ['0.75', '99.25'],
      ['0.75', '98.5'],
    ]);
    expect(await windowsOf(app, id)).toEqual([{ spent: '1.5', reserved: '0' }]);
    // Known too is what is spent of it when nobody learns how it went.
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ hold: key }, { text: 'Seen.' }] });
    const sent = client.send(chat_id, key);
    await app.model.waitFor('received', { key });
    const [held] = await allHolds(app);
    expect(fromStored(held?.leastUnits ?? 0n, held?.leastPicos ?? 0n)).toBe(money('0.75'));
    await app.model.release(key);
    await sent;
  });

  it('has the summary beside the reply, whose prompt is known', async () => {
    const { name } = await agentOf(await modelAt({ per_request: '0.25' }));
    await ofUser('100');
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ hold: key }, { text: 'In short.' }] });
    const input = [...rounds(key), { role: 'user', content: key }];
    const sent = new ResponsesClient(app.origin, client.token, name).post({ input, context_management: management(1) });
    await app.model.waitFor('received', { key });
    const [{ units = 0n, picos = 0n, leastUnits = 0n, leastPicos = 0n } = {}] = await allHolds(app);
    expect([fromStored(units, picos), fromStored(leastUnits, leastPicos)]).toEqual([money('0.5'), money('0.25')]);
    await app.model.release(key);
    await sent;
  });

  it('is nothing for what is free, which is answered where more was spent than the limit', async () => {
    const { id } = await ofUser('0.01');
    const dear = await agentOf(await modelAt({ output: '1' }));
    const usage = { prompt_tokens: 0, completion_tokens: 20_000, total_tokens: 20_000 };
    await app.model.script({ key: TEXT, times: 1, steps: [{ text: 'Much.' }], usage });
    expect((await complete(dear.name)).status).toBe(200);
    expect((await complete(dear.name)).status).toBe(429);
    const asked = (await app.model.requests(TEXT)).length;
    for (const fields of [{}, { provider: 'demo' }]) {
      const { name } = await agentOf(await modelAt({}), fields);
      expect((await complete(name)).status).toBe(200);
    }
    // However long the answer is, it costs nothing: no cap is needed.
    const [limited, free] = (await app.model.requests(TEXT)).slice(asked - 1).map(({ body }) => body);
    expect([limited?.max_tokens, free?.max_tokens]).toEqual([1_000, undefined]);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.02', reserved: '0' }]);
  });

  it('is asked for after the quota, and refused for good where the budget never begins anew', async () => {
    await ofUser('0', { window: 'total' });
    const { id: agent_id } = await agentOf(await modelAt({ per_request: '1' }));
    const chat = await client.createChat({ agent_id });
    const plans = await admin.items<{ membership_type: string }>('/admin/plans');
    const free = plans.find(({ membership_type }) => membership_type === 'free');
    await admin.put('/admin/plans/free', { ...free, messages_per_day: 0 });
    expectFailure(await client.send(chat.id, TEXT), 429, 'QUOTA_EXCEEDED');
    await admin.put('/admin/plans/free', { ...free });
    const answer = await client.send(chat.id, TEXT);
    const error = expectFailure(answer, 429, 'BUDGET_EXCEEDED');
    expect(error.details).toEqual({ scope: 'user', limit: '0', spent: '0', reserved: '0', resets_at: null });
    expect(error).not.toHaveProperty('retry_after');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('is unknown without a price, which programs are told like an end of money', async () => {
    await ofUser('0', { mode: 'soft' });
    const { name } = await agentOf(await modelAt(null));
    expect((await complete(name)).status).toBe(200);
    await ofUser('1');
    const answer = await complete(name);
    expect(expectOpenAiFailure(answer, 429, 'insufficient_quota').type).toBe('insufficient_quota');
    expect([answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]).toEqual(['false', null]);
  });

  describe('where models without a price are allowed', () => {
    const open = useOwnChatApp({ UNPRICED_MODELS: 'allow' });
    const other = useAdmin(open);

    it('is nothing for them: they answer, and stand in for others', async () => {
      const asking = await open.newClient();
      const { id } = await makeBudget(other, { scope: 'service', limit: '1' });
      await other.post('/admin/prices', { model: 'known', input: '1', output: '1' });
      const key = uniqueContent();
      const refuses = [{ when: { body: '"model":"known"' }, status: 501, body: '{}' }];
      await open.model.script({ key, refuses, steps: [{ text: 'Hello' }] });
      for (const fields of [{ model: 'unheard-of' }, { model: 'known', fallback_models: ['unheard-of'] }]) {
        const made = await other.post<{ id: number }>('/agents', {
          name: uniqueContent('Open').slice(0, 40),
          ...fields,
        });
        const chat = await asking.createChat({ agent_id: made.body.data.id });
        expect((await asking.send(chat.id, key)).status).toBe(200);
      }
      const rows = await findRows(open.app.get(Database).manager, UsageCostEntity, { isCounted: true });
      expect(rows).toMatchObject([1, 2].map(() => ({ model: 'unheard-of', costUnits: null })));
      expect(await windowsOf(open, id)).toEqual([{ spent: '0', reserved: '0' }]);
    });
  });
});
