// @databases mariadb: exact decimals
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { allHolds, makeBudget, money, windowsOf } from '../support/budgets';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const COST = '0.00014';

describe('replies under budgets', () => {
  const app = useOwnChatApp({ BUDGET_ASSUMED_OUTPUT: '1000', CONCURRENT_NORMAL: '100' });
  const admin = useAdmin(app);
  let client: ChatClient;
  let userId: number;

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
  });

  beforeEach(async () => {
    client = await app.newClient();
    userId = (await client.request<{ id: number }>('/users/me')).body.id;
  });

  afterEach(async () => {
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(await allHolds(app)).toEqual([]);
    await app.model.reset();
  });

  const ofUser = (limit: string, more: object = {}) =>
    makeBudget(admin, { scope: 'user', scope_id: userId, limit, ...more });

  const scripted = (content: string, more: object = {}) =>
    app.model.script({ key: content, steps: [{ text: 'Hello' }], usage: USAGE, ...more });

  it('reserve while a reply runs, send the limit to the model, and spend the actual cost', async () => {
    const content = uniqueContent();
    await scripted(content, { steps: [{ text: 'Hel' }, { hold: content }, { text: 'lo' }] });
    const { id } = await ofUser('1');
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, content);
    const remaining = stream.header('x-budget-remaining') as string;
    const [held] = await windowsOf(app, id);
    expect(money(held?.reserved ?? '0')).toBeGreaterThan(money('0.002'));
    expect(money(held?.reserved ?? '0')).toBeLessThan(money('0.0035'));
    expect(money(remaining)).toBe(money('1') - money(held?.reserved ?? '0'));
    const [request] = await app.model.requests(content);
    expect(request?.body).toMatchObject({ max_tokens: 1000 });
    await app.model.release(content);
    await stream.rest();
    await client.waitForEnd(chat.id);
    expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
  });

  it('send no limit to the model if only a soft budget applies', async () => {
    await ofUser('1', { mode: 'soft' });
    const content = uniqueContent();
    await scripted(content);
    const chat = await client.createChat();
    expect((await client.send(chat.id, content)).status).toBe(200);
    expect((await app.model.requests(content))[0]?.body.max_tokens).toBeUndefined();
  });

  it('are refused if they do not fit, and nothing is stored', async () => {
    await ofUser('0.0019');
    const chat = await client.createChat();
    const content = uniqueContent();
    const answer = await client.send(chat.id, content);
    const error = expectFailure(answer, 429, 'BUDGET_EXCEEDED');
    expect(error.details).toMatchObject({ scope: 'user', limit: '0.0019', spent: '0', reserved: '0' });
    expect(Number(answer.headers.get('retry-after'))).toBe(error.retry_after);
    expect((await client.read(chat.id)).messages).toEqual([]);
    expect(await app.model.requests(content)).toEqual([]);
    expect((await client.request('/user/quota')).body).toMatchObject({ messages: { used: 0 } });
  });

  it('settle a bill above the estimate, and the next is refused', async () => {
    const { id } = await ofUser('0.01');
    const chat = await client.createChat();
    const content = uniqueContent();
    await scripted(content, { usage: { prompt_tokens: 9_000, completion_tokens: 1_000, total_tokens: 10_000 } });
    expect((await client.send(chat.id, content)).status).toBe(200);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.011', reserved: '0' }]);
    expect((await client.send(chat.id, 'again')).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  });

  it('cost nothing if they fail, and the prompt if their user stopped them before the first token', async () => {
    const { id } = await ofUser('1');
    const chat = await client.createChat();
    const failing = uniqueContent();
    await app.model.script({ key: failing, status: 400, body: '{"error":{"message":"no"}}' });
    expect((await client.send(chat.id, failing)).status).toBe(502);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '0' }]);
    const stopped = uniqueContent();
    await app.model.script({ key: stopped, hang: true });
    const sending = client.send(chat.id, stopped);
    await eventually(async () => (await app.model.requests(stopped)).length > 0 || undefined);
    await client.stop(chat.id);
    await sending;
    const [window] = await windowsOf(app, id);
    expect(window?.reserved).toBe('0');
    expect(money(window?.spent ?? '0')).toBeGreaterThan(0n);
    expect(money(window?.spent ?? '0')).toBeLessThan(money('0.0005'));
  });

  it('use no model without a price under a hard budget, and skip such fallback models', async () => {
    await ofUser('1');
    const unpriced = await admin.post<{ id: number }>('/agents', {
      name: uniqueContent('Unpriced'),
      system_prompt: 'x',
      model: 'unheard-of',
    });
    const chat = await client.createChat({ agent_id: unpriced.body.data.id });
    const answer = await client.send(chat.id, 'Hello');
    expect(answer.status).toBe(429);
    expect(answer.body).toMatchObject({
      error: {
        code: 'MODEL_NOT_PRICED',
        message: expect.stringContaining('Choose another agent, or ask an administrator to add a price.') as string,
        details: { reason: 'no_price' },
      },
    });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect((await client.read(chat.id)).messages).toEqual([]);
    const falling = await admin.post<{ id: number }>('/agents', {
      name: uniqueContent('Falling'),
      system_prompt: 'x',
      model: 'scripted',
      fallback_models: ['unheard-of'],
    });
    const other = await client.createChat({ agent_id: falling.body.data.id });
    const content = uniqueContent();
    await app.model.script({ key: content, status: 500, body: '{}' });
    expect((await client.send(other.id, content)).status).toBe(502);
    const asked = (await app.model.requests(content)).map(({ body }) => body.model);
    expect(new Set(asked)).toEqual(new Set(['scripted']));
  });

  it('are refused for a model that accepts no limit for its reply', async () => {
    const { id } = await ofUser('1');
    const content = uniqueContent();
    const refusal = (parameter: string) => ({
      when: { parameter },
      status: 400,
      body: JSON.stringify({
        error: { message: `Unsupported parameter: '${parameter}'`, param: parameter, code: 'unsupported_parameter' },
      }),
    });
    await scripted(content, { refuses: [refusal('max_tokens'), refusal('max_completion_tokens')] });
    const chat = await client.createChat();
    const answer = await client.send(chat.id, content);
    expect(answer.body).toMatchObject({
      error: {
        code: 'MODEL_NOT_PRICED',
        message: expect.stringContaining('ask an administrator to change the agent’s model.') as string,
        details: { reason: 'no_output_limit' },
      },
    });
    expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '0' }]);
  });

  it('report to clients that nothing is left, and not to retry', async () => {
    await ofUser('0');
    const completions = { model: 'General assistant', messages: [{ role: 'user', content: 'Hello' }] };
    const responses = { model: 'General assistant', input: 'Hello' };
    for (const [path, body] of Object.entries({ 'chat/completions': completions, responses })) {
      const answer = await call<{ error: object }>(`${app.origin}/openai/v1/${path}`, { token: client.token, body });
      expect({ status: answer.status, ...answer.body.error }).toMatchObject({
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      });
      expect(answer.headers.get('x-should-retry')).toBe('false');
    }
  });

  it('reserve and settle for client requests too', async () => {
    const { id } = await ofUser('1');
    const content = uniqueContent();
    await scripted(content);
    const asked = { model: 'General assistant', max_tokens: 7, messages: [{ role: 'user', content }] };
    const completion = await call(`${app.origin}/openai/v1/chat/completions`, { token: client.token, body: asked });
    expect(completion.status).toBe(200);
    expect((await app.model.requests(content))[0]?.body.max_tokens).toBe(7);
    expect(completion.headers.get('x-budget-remaining')).not.toBeNull();
    const response = { model: 'General assistant', input: content, background: true };
    const background = await call<{ id: string }>(`${app.origin}/openai/v1/responses`, {
      token: client.token,
      body: response,
    });
    expect(background.status).toBe(200);
    await eventually(async () => {
      const [window] = await windowsOf(app, id);
      return window?.reserved === '0' || undefined;
    });
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });

  it('count spending before the budget was created, from its start on', async () => {
    const chat = await client.createChat();
    const begun = new Date(Date.now() - 1).toISOString();
    for (let sends = 0; sends < 2; sends++) {
      const content = uniqueContent();
      await scripted(content);
      await client.send(chat.id, content);
    }
    const ended = new Date(Date.now() + 1).toISOString();
    const past = { window: 'total', starts_at: begun };
    const made = [
      await ofUser('1', past),
      await ofUser('1', { ...past, starts_at: ended }),
      await ofUser('0.0003', { ...past, mode: 'soft' }),
      await makeBudget(admin, { scope: 'agent', scope_id: chat.agent_id, limit: '1', ...past }),
      await makeBudget(admin, { scope: 'membership_type', scope_id: 'free', limit: '1', ...past }),
      await makeBudget(admin, { scope: 'membership_type', scope_id: 'yearly', limit: '1', ...past }),
      await makeBudget(admin, { scope: 'membership_type', scope_id: 'free', limit: '1', each_user: true, ...past }),
    ];
    expect(made.map(({ spent }) => spent)).toEqual(['0.00028', '0', '0.00028', '0.00028', '0.00028', '0', '0']);
    const own = (await client.request<{ limit: string; spent: string }[]>('/user/budget')).body;
    expect(own.filter(({ limit }) => limit === '1').map(({ spent }) => spent)).toEqual(['0.00028', '0', '0.00028']);
    await client.send(chat.id, 'once more');
    expect((await windowsOf(app, (made[0] as BudgetDto).id))[0]).not.toEqual({ spent: '0.00028', reserved: '0' });
  });

  it('follow the ledger when past costs are recalculated', async () => {
    const { id } = await ofUser('1');
    const soft = await makeBudget(admin, { scope: 'service', limit: '1', mode: 'soft' });
    const agent = await admin.post<{ id: number }>('/agents', {
      name: uniqueContent('Dear'),
      system_prompt: 'x',
      model: 'dear',
    });
    const since = new Date(Date.now() - 1).toISOString();
    await admin.post('/admin/prices', { model: 'dear', input: '1', output: '2', valid_from: '2026-01-01T00:00:00Z' });
    const chat = await client.createChat({ agent_id: agent.body.data.id });
    const content = uniqueContent();
    await scripted(content);
    await client.send(chat.id, content);
    expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
    await admin.post('/admin/prices', { model: 'dear', input: '10', output: '20', valid_from: '2026-01-02T00:00:00Z' });
    const to = new Date(Date.now() + 1_000).toISOString();
    const answer = await admin.post('/admin/prices/recompute', { from: since, to, reason: 'A wrong price.' });
    expect(answer.status).toBe(200);
    for (const budget of [id, soft.id]) {
      expect(await windowsOf(app, budget)).toEqual([{ spent: '0.0014', reserved: '0' }]);
    }
  });
});
