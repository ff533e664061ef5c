import { randomUUID } from 'node:crypto';
import { formatDecimal } from '../../src/common/money/amount';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import type { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { management, rounds } from '../support/compactions';
import { eventually } from '../support/eventually';
import { type Answer, call } from '../support/http';
import { costOf, expectInvoiced, sumOf } from '../support/invoice-comparison';
import { COURSES, FAILING_MODEL, INVOICED_PRICE, InvoicingProvider } from '../support/invoicing-provider';
import { startTestApp, type TestApp } from '../support/test-app';

/** The dialects whose answers do not contain the cost. */
const SILENT = ['a trial', 'a streamed message of Anthropic’s API'];

interface NamedAgent {
  id: number;
  name: string;
}

/** The provider's invoice and our ledger are calculated separately, and match. */
describe('the ledger and the invoice of the provider', () => {
  let provider: InvoicingProvider;
  let app: TestApp;
  let admin: AdminClient;
  let agent: NamedAgent;
  let budgetId: number;

  beforeAll(async () => {
    provider = await InvoicingProvider.start();
    app = await startTestApp({
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: provider.url,
      LLM_MODEL: 'invoiced',
      TITLE_MODEL: 'invoiced',
      CONCURRENT_NORMAL: '100',
      QUOTA_FREE_MESSAGES: '10000',
      QUOTA_FREE_TOKENS: '100000000',
    });
    app.app.get(ResilienceSettings).retryDelays = [1, 1];
    admin = await AdminClient.of(app);
    for (const model of ['invoiced', FAILING_MODEL]) {
      await admin.post('/admin/prices', { model, ...INVOICED_PRICE });
    }
    agent = await makeAgent({ name: 'Invoiced' });
    // Nothing is refused, but everything is reserved and settled, and sent to the model as its limit.
    ({ id: budgetId } = await makeBudget(admin, { scope: 'service', limit: '1000000' }));
  });

  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const expectSame = (): Promise<UsageCostEntity[]> => expectInvoiced(app, provider, budgetId);

  /** Every type of request, and where its answer contains the cost as written. */
  const DIALECTS: [string, (content: string, token: string) => Promise<string | undefined>][] = [
    ['a whole reply', async (content, token) => (await inChat(content, token, '')).headers.get('x-cost') ?? undefined],
    ['plain text', async (content, token) => costIn(await inChat(content, token, '?stream=true'), /"cost":"([\d.]+)"/)],
    [
      'server-sent events',
      async (content, token) =>
        costIn(await inChat(content, token, '', { accept: 'text/event-stream' }), /"cost":"([\d.]+)"/),
    ],
    [
      'UI messages',
      async (content, token) =>
        costIn(await inChat(content, token, '?stream=true&stream_format=ui_message'), /"cost":"([\d.]+)"/),
    ],
    ['a completion', (content, token) => complete(content, token, {})],
    [
      'a streamed completion',
      (content, token) => complete(content, token, { stream: true, stream_options: { include_usage: true } }),
    ],
    [
      'a message of Anthropic’s API',
      async (content, token) => (await message(content, token, {})).headers.get('x-cost') ?? undefined,
    ],
    [
      'a streamed message of Anthropic’s API',
      async (content, token) => {
        await message(content, token, { stream: true });
        return undefined;
      },
    ],
    ['a response', (content, token) => respond(content, token, {})],
    ['a streamed response', (content, token) => respond(content, token, { stream: true })],
    ['a response that is not stored', (content, token) => respond(content, token, { store: false })],
    [
      'a response in the background',
      async (content, token) => {
        const { body } = await post<{ id: string }>('/openai/v1/responses', token, {
          model: agent.name,
          input: content,
          background: true,
        });
        const ended = await eventually(async () => {
          const read = await call(`${app.origin}/openai/v1/responses/${body.id}`, { token });
          return /"status":"(completed|failed)"/.test(read.text) ? read : undefined;
        });
        return costIn(ended, /"cost":([\d.]+)/);
      },
    ],
    [
      'a trial',
      async (content) => {
        await admin.post(`/agents/${agent.id}/test`, { content });
        return undefined;
      },
    ],
  ];

  const post = <Body>(path: string, token: string, body: object, headers = {}): Promise<Answer<Body>> =>
    call<Body>(`${app.origin}${path}`, { token, body, headers });

  async function inChat(content: string, token: string, query: string, headers = {}, by = agent): Promise<Answer> {
    const { body } = await post<{ id: number }>('/api/v1/chat', token, { agent_id: by.id });
    return post(`/api/v1/chat/message${query}`, token, { chat_id: body.id, content }, headers);
  }

  async function complete(content: string, token: string, more: object): Promise<string | undefined> {
    const body = { model: agent.name, messages: [{ role: 'user', content }], ...more };
    return costIn(await post('/openai/v1/chat/completions', token, body), /"cost":([\d.]+)/);
  }

  const message = (content: string, token: string, more: object): Promise<Answer> =>
    post('/anthropic/v1/messages', token, {
      model: agent.name,
      max_tokens: 1_000,
      messages: [{ role: 'user', content }],
      ...more,
    });

  async function respond(content: string, token: string, more: object): Promise<string | undefined> {
    return costIn(
      await post('/openai/v1/responses', token, { model: agent.name, input: content, ...more }),
      /"cost":([\d.]+)/,
    );
  }

  /** Starts a background response, and cancels it once the provider has received it. */
  async function cancel(content: string, token: string, more: object): Promise<void> {
    const asked = { model: agent.name, background: true, ...more };
    const { body } = await post<{ id: string }>('/openai/v1/responses', token, asked);
    await whenAsked(content);
    await post(`/openai/v1/responses/${body.id}/cancel`, token, {});
  }

  async function makeAgent(fields: object): Promise<NamedAgent> {
    return (await admin.post<NamedAgent>('/agents', fields)).body.data;
  }

  const costIn = ({ text }: Answer, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

  /** Resolves when the provider has received the request, and not answered. */
  const whenAsked = (content: string): Promise<unknown> =>
    eventually(() => Promise.resolve(provider.asked.some((said) => said.includes(content))));

  it('agree to the last digit, in every dialect and with every outcome', async () => {
    const { token } = await createUser(app);
    const asked = DIALECTS.flatMap(([dialect, ask]) =>
      COURSES.map((course) => ({ dialect, course, ask, content: `course:${course} ${randomUUID()}` })),
    );
    const told: { dialect: string; course: string; cost: string | undefined }[] = [];
    const lanes = Array.from({ length: 8 }, (_value, lane) => asked.filter((_each, index) => index % 8 === lane));
    await Promise.all(
      lanes.map(async (lane) => {
        for (const { dialect, course, ask, content } of lane) {
          told.push({ dialect, course, cost: await ask(content, token) });
        }
      }),
    );
    const ledger = await expectSame();
    expect(provider.invoice.filter(({ cost }) => cost !== null).length).toBeGreaterThan(60);
    const byReply = new Map<number | null, bigint>();
    for (const row of ledger.filter(({ kind }) => kind !== 'title')) {
      byReply.set(row.messageId, (byReply.get(row.messageId) ?? 0n) + costOf(row));
    }
    const costs = new Set([...byReply.values()].map((cost) => formatDecimal(cost)));
    // Every dialect reports it, except for trials, cut replies, and refused requests, which cost nothing.
    const untold = told.filter(
      ({ cost, course, dialect }) => cost === undefined && course !== 'cut' && !SILENT.includes(dialect),
    );
    expect(untold.length).toBeLessThanOrEqual(ledger.filter(({ requests }) => requests === 0).length);
    expect(new Set(told.filter(({ cost }) => cost !== undefined).map(({ dialect }) => dialect)).size).toBe(
      DIALECTS.length - SILENT.length,
    );
    expect(told.filter(({ cost }) => cost !== undefined && !costs.has(cost))).toEqual([]);

    const [total] = await admin.items<{ cost: string }>('/admin/stats/usage?group_by=provider');
    expect(total?.cost).toBe(sumOf(ledger.map(costOf)));
    const { body } = await call<{ total_cost: string }>(`${app.url}/user/total-stats`, { token });
    const own = ledger.filter(({ kind }) => kind !== 'trial');
    expect(body.total_cost).toBe(sumOf(own.map(costOf)));
  });

  it('agree on replies that their users stop, cancel and disconnect from', async () => {
    const { token } = await createUser(app);
    const contentOf = (course: string): string => `course:${course} ${randomUUID()}`;
    for (const course of ['hanging', 'silent']) {
      const content = contentOf(course);
      const { body } = await post<{ id: number }>('/api/v1/chat', token, { agent_id: agent.id });
      const sent = post('/api/v1/chat/message?stream=true', token, { chat_id: body.id, content });
      await whenAsked(content);
      await post(`/api/v1/chat/${body.id}/stop`, token, {});
      await sent;
      const input = contentOf(course);
      await cancel(input, token, { input });
      const summed = contentOf(course);
      const long = [summed, 'And now?'].map((said) => ({ role: 'user', content: said }));
      await cancel(summed, token, { input: long, context_management: management(1) });

      const asked = contentOf(course);
      const leaving = new AbortController();
      const left = fetch(`${app.origin}/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: agent.name, messages: [{ role: 'user', content: asked }] }),
        signal: leaving.signal,
      });
      await whenAsked(asked);
      leaving.abort();
      await expect(left).rejects.toThrow();
    }
    await expectSame();
  });

  it('agree on fallback models, even those that send no usage', async () => {
    const { token } = await createUser(app);
    const standIns = await makeAgent({ name: 'Stood in', model: FAILING_MODEL, fallback_models: ['invoiced'] });
    for (const course of ['plain', 'cached', 'uncounted', 'cut']) {
      await inChat(`course:${course} ${randomUUID()}`, token, '?stream=true', {}, standIns);
    }
    const ledger = await expectSame();
    expect(ledger.every(({ model, requests }) => requests === 0 || model === 'invoiced')).toBe(true);
  });

  it('agree on compacted conversations', async () => {
    const { token } = await createUser(app);
    const ask = { model: agent.name, input: rounds(`course:cached ${randomUUID()}`) };
    expect((await post('/openai/v1/responses/compact', token, ask)).status).toBe(200);
    const input = [...rounds(`course:plain ${randomUUID()}`), { role: 'user', content: 'course:reasoned now?' }];
    const summed = { model: agent.name, input, context_management: management(1) };
    expect((await post('/openai/v1/responses', token, summed)).status).toBe(200);
    const kinds = (await expectSame()).map(({ kind }) => kind).filter((kind) => kind !== 'title');
    expect(kinds.slice(-3)).toEqual(['compaction', 'compaction', 'reply']);
  });

  it('agree with a provider that counts the cache separately from the prompt, and sends it before the first token', async () => {
    const { token } = await createUser(app);
    await admin.post('/admin/providers', {
      name: 'beside',
      kind: 'anthropic',
      base_url: provider.anthropicUrl,
      api_key: 'key-of-the-tests',
      model: 'invoiced',
    });
    const beside = await makeAgent({ name: 'Beside', provider: 'beside' });
    const models = [{ id: 'direct', provider: 'beside', model: 'invoiced' }];
    expect((await admin.put('/admin/anthropic_models', { models })).status).toBe(200);
    for (const course of ['plain', 'cached', 'long', 'busy', 'cut']) {
      const content = `course:${course} ${randomUUID()}`;
      await inChat(content, token, '?stream=true', {}, beside);
      for (const model of [beside.name, 'direct']) {
        await message(`${content} ${model}`, token, { model, stream: true });
      }
    }
    await expectSame();
    expect(provider.invoice.filter(({ early }) => early !== null)).toHaveLength(3);
    const all = { from: '2026-01-01', to: '2999-12-31', reason: 'Nothing has changed.', dry_run: true };
    const { data } = (await admin.post<{ before: string; after: string }>('/admin/prices/recompute', all)).body;
    expect(data.after).toBe(data.before);
  });
});
