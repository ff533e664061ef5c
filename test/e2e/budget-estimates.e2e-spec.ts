// @databases mariadb: sums over the parts of messages in SQL

import { randomInt } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { fromStored } from '../../src/modules/budget/windows/window-amounts';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ConversationHistory } from '../../src/modules/chat/history/conversation-history';
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

/** The same for each model, so that the reserved amounts can be compared. */
const TEXT = 'The same question for everybody.';

const FUNCTION = { type: 'function', function: { name: 'look', description: 'Looks something up.', parameters: {} } };
/** A PDF with this number of pages; 0: unreadable. */
function pdf(pages: number): string {
  const objects = Array.from(
    { length: pages },
    (_page, index) => `${index + 3} 0 obj\n<</Type/Page/Parent 2 0 R>>\nendobj\n`,
  );
  return `data:application/pdf;base64,${Buffer.from(`%PDF-1.7\n${objects.join('')}%%EOF`).toString('base64')}`;
}

/** Texts for which the tokenizer counts more tokens than the estimate. */
const DENSE: [string, () => string][] = [
  ['extended Cyrillic', () => randomText(0xa640, 0xa66d)],
  ['CJK Extension A', () => randomText(0x3400, 0x4dbf)],
  ['Hangul', () => randomText(0xac00, 0xd7a3)],
  ['random letters', () => randomText(0x61, 0x7a).replace(/(.{9})/g, '$1 ')],
];

function randomText(first: number, last: number): string {
  return String.fromCharCode(...Array.from({ length: 3_000 }, () => randomInt(first, last + 1)));
}

let models = 0;

describe('the amount reserved for a request', () => {
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

  /** The amount reserved for a request to this agent, in pico-units. */
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

  it('is that of the most expensive model that may answer', async () => {
    const [cheap, dear, unpriced] = [
      await modelAt({ output: '1' }),
      await modelAt({ output: '9' }),
      await modelAt(null),
    ];
    const { name } = await agentOf(cheap, { fallback_models: [unpriced, dear] });
    expect(await heldFor(name)).toBe(money('0.009'));
  });

  it('is the prompt at the most expensive of its prices, including functions', async () => {
    const heldAt = async (price: object, request: object = {}) =>
      heldFor((await agentOf(await modelAt(price), { name: `Agent ${1_000 + models}` })).name, request);
    const plain = await heldAt({ input: '1' });
    expect(plain).toBeGreaterThan(money('0.000005'));
    expect(await heldAt({ input: '1', cached_input: '4' })).toBe(4n * plain);
    expect(await heldAt({ input: '1', cached_input: '4', cache_write: '5' })).toBe(5n * plain);
    expect(await heldAt({ input: '1', cached_input: '0.5' })).toBe(plain);
    expect(await heldAt({ input: '1' }, { tools: [FUNCTION] })).toBeGreaterThan(plain + money('0.000005'));
  });

  it.each(DENSE)('is at least the count of the tokenizer: %s', async (_script, text) => {
    const content = text();
    const count = BigInt(countTokens(content));
    const million = money('0.000001');
    const messages = [{ role: 'user', content }];
    const { name } = await agentOf(await modelAt({ input: '1' }));
    expect(await heldFor(name, { messages })).toBeGreaterThanOrEqual(((count * 135n) / 100n) * million);
    const known = `gpt-4o-${await modelAt(null)}`;
    await admin.post('/admin/prices', { model: known, input: '1', output: '0' });
    const { name: ofOpenAi, id: agent_id } = await agentOf(known);
    const held = await heldFor(ofOpenAi, { messages });
    expect(held).toBeGreaterThanOrEqual(count * million);
    expect(held).toBeLessThan((count * 3n + 500n) * million);
    // Later messages also reserve the earlier ones, which are counted once and stored.
    const { id } = await ofUser(LIMIT);
    const { id: chat_id } = await client.createChat({ agent_id, title: 'Given' });
    await client.send(chat_id, content);
    await client.send(chat_id, content);
    const { headers } = await client.send(chat_id, TEXT);
    await admin.delete(`/admin/budgets/${id}`);
    expect(money(LIMIT) - money(headers.get('x-budget-remaining') ?? '')).toBeGreaterThanOrEqual(2n * count * million);
    const rows = await findRows(app.app.get(Database).manager, MessageEntity, { chatId: chat_id, content });
    expect(rows).toHaveLength(2);
    // Texts that take longer than 20 ms are reserved by their bytes.
    expect(rows.filter(({ countedTokens }) => BigInt(countedTokens ?? 0) < count)).toEqual([]);
  });

  it('includes the schema of the reply in its prompt', async () => {
    const schema = { type: 'object', description: 'long words '.repeat(1_000) };
    const { name } = await agentOf(await modelAt({ input: '1' }));
    const plain = await heldFor(name);
    const format = { type: 'json_schema', json_schema: { name: 'form', schema } };
    expect(await heldFor(name, { response_format: format })).toBeGreaterThan(plain + money('0.002'));
  });

  it.each([
    ['as many as it has', 40, '0.12'],
    ['a hundred where they cannot be read', 0, '0.3'],
  ])('includes the pages of a PDF: %s', async (_what, pages, expected) => {
    const { id: agent_id, name } = await agentOf(await modelAt({ input: '1' }));
    const file = { type: 'file', file: { filename: 'paper.pdf', file_data: pdf(pages) } };
    const content = [{ type: 'text', text: TEXT }, file];
    expect(await heldFor(name, { messages: [{ role: 'user', content }] })).toBeGreaterThan(money(expected));
    // In a conversation the file is sent again with each message, whether the service has cached it or not.
    const { id } = await ofUser(LIMIT);
    const { id: chat_id } = await client.createChat({ agent_id, title: 'Given' });
    const parts = [
      { type: 'text', text: TEXT },
      { type: 'file', url: pdf(pages) },
    ];
    const answers = [await client.request('/chat/message', { body: { chat_id, parts } })];
    answers.push(await client.send(chat_id, TEXT));
    await app.app
      .get(Database)
      .write(() => Promise.resolve(app.app.get(ConversationHistory).forgetOnCommit([chat_id])));
    answers.push(await client.send(chat_id, TEXT));
    await admin.delete(`/admin/budgets/${id}`);
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(money(LIMIT) - money(headers.get('x-budget-remaining') ?? '')).toBeGreaterThan(money(expected));
    }
  });

  it('includes the tools of the agent in its prompt', async () => {
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

  it('includes the images in the conversation, and equals the final cost of images and requests', async () => {
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
    // The spent amount is also known if the outcome is not.
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ hold: key }, { text: 'Seen.' }] });
    const sent = client.send(chat_id, key);
    await app.model.waitFor('received', { key });
    const [held] = await allHolds(app);
    expect(fromStored(held?.leastUnits ?? 0n, held?.leastPicos ?? 0n)).toBe(money('0.75'));
    await app.model.release(key);
    await sent;
  });

  it('includes the summary in addition to the reply, whose prompt is known', async () => {
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

  it('is zero for a free model, which answers even over the limit', async () => {
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
    // A free answer of any length costs nothing, so no cap is needed.
    const [limited, free] = (await app.model.requests(TEXT)).slice(asked - 1).map(({ body }) => body);
    expect([limited?.max_tokens, free?.max_tokens]).toEqual([1_000, undefined]);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.02', reserved: '0' }]);
  });

  it('is checked after the quota, and refused permanently if the budget never resets', async () => {
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

  it('is unknown without a price, which clients see as exhausted funds', async () => {
    await ofUser('0', { mode: 'soft' });
    const { name } = await agentOf(await modelAt(null));
    expect((await complete(name)).status).toBe(200);
    await ofUser('1');
    const answer = await complete(name);
    expect(expectOpenAiFailure(answer, 429, 'insufficient_quota').type).toBe('insufficient_quota');
    expect([answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]).toEqual(['false', null]);
  });

  describe('if models without a price are allowed', () => {
    const open = useOwnChatApp({ UNPRICED_MODELS: 'allow' });
    const other = useAdmin(open);

    it('is zero for them: they answer, and serve as fallbacks', async () => {
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
      const unpriced = await other.get<object[]>('/admin/budgets/unpriced_models');
      expect(unpriced.body.data).toContainEqual(
        expect.objectContaining({ model: 'unheard-of', refused: false, budget_ids: [] }),
      );
      expect(JSON.stringify((await other.get('/admin/attention')).body)).not.toContain('model_unpriced');
    });
  });
});
