// @databases mariadb: exact decimals
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { LlmConfig } from '../../src/integrations/llm/llm.config';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { AdminClient } from '../support/admin-client';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import type { ModelScript } from '../support/model-server/model-server';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';
import { createProvider } from './provider-requests';

const PRICE = {
  input: '2',
  cached_input: '0.5',
  cache_write: '2.5',
  output: '10',
  reasoning: '12',
  per_request: '0.001',
  tiers: [{ min_context: 1_000, input: '4' }],
};

const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

/** 60 × 2 + 40 × 0.5 + 7 × 10 + 3 × 12 millionths, and a thousandth for the request. */
const COST = '0.001246';

const TEXT = [{ text: 'Hello, ' }, { text: 'world' }];

describe('the ledger of costs', () => {
  const app = useOwnChatApp({ TITLE_MODEL: 'titles' });
  const admin = useAdmin(app);
  const user = useClient(app);

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', ...PRICE });
    await admin.post('/admin/prices', { model: 'claude*', ...PRICE });
  });

  async function rowsOf(client: ChatClient): Promise<UsageCostEntity[]> {
    const { body } = await client.request<{ id: number }>('/users/me');
    return findRows(app.app.get(Database).manager, UsageCostEntity, { userId: body.id }, { order: { id: 'ASC' } });
  }

  const costText = ({ costUnits, costMicros, costPicos }: UsageCostEntity): string | null =>
    costUnits === null
      ? null
      : `${costUnits}.${String(costMicros).padStart(6, '0')}${String(costPicos).padStart(6, '0')}`.replace(
          /\.?0+$/,
          '',
        );

  /** Sends a message to an agent, with any outcome. */
  async function ask(script: Partial<ModelScript>[], settings: object = {}): Promise<MessageDto> {
    const key = uniqueContent();
    for (const each of script) {
      await app.model.script({ key, times: 1, ...each });
    }
    const agent = await admin.post<{ id: number; name: string }>('/agents', { name: key.slice(-30), ...settings });
    const chat = await user.createChat({ agent_id: agent.body.data.id, title: 'Given' });
    await user.send(chat.id, key);
    return user.waitForEnd(chat.id);
  }

  it('has the cost of a reply, with all inputs of the calculation', async () => {
    const message = await ask([{ steps: TEXT, usage: USAGE }]);
    expect(message.token_usage).toMatchObject({ cost: COST, currency: 'USD', cached_tokens: 40, reasoning_tokens: 3 });
    const [row, ...others] = await rowsOf(user);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      messageId: message.id,
      round: 1,
      attempt: 1,
      kind: 'reply',
      provider: 'default',
      model: 'scripted',
      promptTokens: 100,
      completionTokens: 10,
      cachedTokens: 40,
      cacheWriteTokens: 0,
      reasoningTokens: 3,
      images: 0,
      requests: 1,
      isEstimated: false,
      isCounted: true,
      priceId: expect.any(Number),
    });
    expect(costText(row!)).toBe(COST);
    expectFailure(await admin.delete(`/admin/prices/${row!.priceId}`), 409, 'PRICE_IN_USE');
  });

  it('has the price at the start of a request, which cannot be deleted from then on', async () => {
    const key = uniqueContent();
    const priced = async (model: string): Promise<number> =>
      (await admin.post<{ id: number }>('/admin/prices', { model, input: '1', output: '2' })).body.data.id;
    const [first, second, third] = [
      await priced('kept-first'),
      await priced('kept-second'),
      await priced('kept-third'),
    ];
    const refuses = [{ when: { body: '"model":"kept-first"' }, status: 501, body: '{}' }];
    await app.model.script({ key, refuses, steps: [{ hold: key }, ...TEXT], usage: USAGE });
    const models = { model: 'kept-first', fallback_models: ['kept-second'] };
    const agent = await admin.post<{ id: number }>('/agents', { name: key.slice(-30), ...models });
    const chat = await user.createChat({ agent_id: agent.body.data.id, title: 'Given' });
    const sent = user.send(chat.id, key);
    await app.model.waitFor('received', { key, count: 2 });
    for (const id of [first, second]) {
      expectFailure(await admin.delete(`/admin/prices/${id}`), 409, 'PRICE_IN_USE');
    }
    expect((await admin.delete(`/admin/prices/${third}`)).status).toBe(200);
    await app.model.release(key);
    expect((await sent).headers.get('x-cost')).toBe('0.00012');
  });

  it('has the price of the model that answered, and not of the intended one', async () => {
    await admin.post('/admin/prices', { model: 'dear', input: '1000', output: '1000', per_request: '5' });
    const refuses = [{ when: { body: '"model":"dear"' }, status: 501, body: '{}' }];
    await ask([{ times: 9, refuses, steps: TEXT, usage: USAGE }], { model: 'dear', fallback_models: ['scripted'] });
    expect((await rowsOf(user)).map((row) => [row.model, costText(row)])).toEqual([['scripted', COST]]);
  });

  it.each<[string, Partial<ModelScript>[], object[]]>([
    [
      'the price of the tier that the whole prompt comes to',
      [{ steps: TEXT, usage: { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000 } }],
      [{ cost: '0.005', promptTokens: 1_000 }],
    ],
    [
      'nothing for what was refused: 429 and 5xx are free',
      [
        { status: 429, body: '{}' },
        { status: 500, body: '{}' },
        { steps: TEXT, usage: USAGE },
      ],
      [{ attempt: 3, cost: COST, isCounted: true }],
    ],
    [
      'the prompt of an attempt that was taken and then left, by estimate',
      [
        { bare: true, unfinished: true, steps: [{ cut: true }] },
        { steps: TEXT, usage: USAGE },
      ],
      [
        { attempt: 1, isCounted: false, isEstimated: true, completionTokens: 0, requests: 1 },
        { attempt: 2, cost: COST, isCounted: true, isEstimated: false },
      ],
    ],
    [
      '0 for a failure without tokens',
      [
        { status: 501, body: '{}' },
        { status: 501, body: '{}' },
        { status: 501, body: '{}' },
      ],
      [{ cost: '0', requests: 0, isFailed: true, promptTokens: 0, priceId: null }],
    ],
    [
      'prompt and text of a reply that breaks off',
      [{ steps: [...TEXT, { cut: true }], unfinished: true }],
      [{ isFailed: true, isCounted: true, isEstimated: true, completionTokens: expect.any(Number) }],
    ],
  ])('has %s', async (_case, script, expected) => {
    await ask(script);
    const rows = await rowsOf(user);
    expect(rows.map((row) => ({ ...row, cost: costText(row) }))).toEqual(
      expected.map((row) => expect.objectContaining(row) as object),
    );
    expect(rows.every(({ requests, promptTokens }) => requests === 0 || promptTokens > 0)).toBe(true);
    await expectTokens(user, rows);
  });

  /** Abandoned requests cost money, and are no user's tokens. */
  async function expectTokens(client: ChatClient, rows: UsageCostEntity[]): Promise<void> {
    const counted = rows.filter(({ isCounted }) => isCounted);
    const tokens = counted.reduce((sum, row) => sum + row.promptTokens + row.completionTokens, 0);
    expect((await client.request('/user/total-stats')).body).toMatchObject({ total_tokens: tokens });
    expect((await client.request('/user/quota')).body).toMatchObject({ tokens: { used: tokens } });
    const path = `/admin/stats/usage?group_by=provider&user_id=${rows[0]?.userId}`;
    const failed_replies = rows.filter(({ isFailed }) => isFailed).length;
    expect(await admin.items(path)).toMatchObject([{ messages: counted.length, tokens, failed_replies }]);
  }

  it('has the prompt of an attempt that was abandoned because of its time limit', async () => {
    app.app.get(LlmConfig).LLM_FIRST_TOKEN_TIMEOUT = 0.2;
    await ask([{ hang: true }, { steps: TEXT, usage: USAGE }], { fallback_models: ['claude-x'] });
    app.app.get(LlmConfig).LLM_FIRST_TOKEN_TIMEOUT = new LlmConfig().LLM_FIRST_TOKEN_TIMEOUT;
    const rows = await rowsOf(user);
    expect(rows).toMatchObject([
      { attempt: 1, isCounted: false, isEstimated: true, completionTokens: 0, requests: 1 },
      { attempt: 2, isCounted: true, isEstimated: false },
    ]);
    expect(rows[0]!.promptTokens).toBeGreaterThan(0);
    await expectTokens(user, rows);
  });

  it('has no price if there is none, which is not zero', async () => {
    const message = await ask([{ steps: TEXT, usage: USAGE }], { model: 'unheard-of' });
    expect(message.token_usage).toMatchObject({ cost: null, currency: 'USD' });
    expect(await rowsOf(user)).toMatchObject([{ costUnits: null, costMicros: null, costPicos: null, priceId: null }]);
    const { body } = await user.request('/user/usage-stats');
    expect(body).toMatchObject({ currency: 'USD', total_stats: { total_cost: null } });
  });

  it('costs nothing if the service answers itself', async () => {
    const message = await ask([], { provider: 'demo' });
    expect(message.token_usage).toMatchObject({ cost: '0' });
    expect((await rowsOf(user)).map(costText)).toEqual(['0']);
  });

  it("keeps Anthropic's initial usage of a reply that is then cut or sends no more, and estimates the rest", async () => {
    const { name } = await createProvider(app, admin, {
      kind: 'anthropic',
      base_url: app.model.anthropicUrl,
      model: 'claude-x',
    });
    const usage = { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 60, output_tokens: 1 };
    await ask([{ steps: [...TEXT, { cut: true }], unfinished: true, usage }], { provider: name });
    expect(await rowsOf(user)).toMatchObject([
      { promptTokens: 100, cachedTokens: 30, cacheWriteTokens: 60, isEstimated: true, provider: name },
    ]);
    const key = uniqueContent();
    await app.model.script({ key, steps: TEXT, usage: { input_tokens: 10 } });
    const tester = await AdminClient.of(app);
    expect((await tester.post('/admin/models/test', { content: key, provider: name })).status).toBe(200);
    const [trial] = await rowsOf(new ChatClient(app.url, tester.account.token));
    expect(trial).toMatchObject({ kind: 'trial', promptTokens: 10, completionTokens: 3, isEstimated: true });
  });

  it('has the prompt of a reply that its user stopped before the first token', async () => {
    const key = uniqueContent();
    await app.model.script({ key, hang: true });
    const chat = await user.createChat({ title: 'Given' });
    const stream = user.stream(chat.id, key).catch(() => null);
    await app.model.waitFor('received', { key });
    await user.stop(chat.id);
    await stream;
    const [row] = await rowsOf(user);
    expect(row).toMatchObject({ kind: 'reply', requests: 1, completionTokens: 0, isEstimated: true, isCounted: true });
    expect(row!.promptTokens).toBeGreaterThan(0);
  });

  it('has titles and trials for the users who caused them, and counts no message or token for them', async () => {
    const key = uniqueContent();
    await app.model.script({ key, times: 2, steps: TEXT, usage: USAGE });
    const chat = await user.createChat();
    await user.send(chat.id, key);
    const rows = await eventually(async () => {
      const all = await rowsOf(user);
      return all.length === 2 ? all : undefined;
    });
    expect(rows).toMatchObject([
      { kind: 'reply', model: 'scripted' },
      { kind: 'title', model: 'titles', chatId: chat.id, isCounted: false, costUnits: null },
    ]);
    const { body } = await user.request<{ total_stats: object }>('/user/usage-stats');
    expect(body.total_stats).toMatchObject({ total_messages: 2, total_tokens: 110, total_cost: COST });
    await app.model.script({ key, times: 1, steps: TEXT, usage: USAGE });
    expect((await admin.post('/admin/models/test', { content: key })).status).toBe(200);
    const tester = new ChatClient(app.url, admin.account.token);
    expect(await rowsOf(tester)).toMatchObject([{ kind: 'trial', promptTokens: 100, isCounted: false }]);
    const none = { total_messages: 0, total_tokens: 0, total_cost: COST };
    expect((await tester.request('/user/total-stats')).body).toMatchObject(none);
    const unused = { messages: { used: 0 }, tokens: { used: 0 } };
    expect((await tester.request('/user/quota')).body).toMatchObject(unused);
  });
});
