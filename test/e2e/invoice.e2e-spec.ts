import { randomUUID } from 'node:crypto';
import { formatDecimal } from '../../src/common/money/amount';
import { fromParts } from '../../src/common/money/stored-amount';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { eventually } from '../support/eventually';
import { type Answer, call } from '../support/http';
import { COURSES, INVOICED_PRICE, InvoicingProvider } from '../support/invoicing-provider';
import { startTestApp, type TestApp } from '../support/test-app';

/** The provider's invoice and our ledger are made apart, and are the same. */
describe('the ledger and the invoice of the provider', () => {
  let provider: InvoicingProvider;
  let app: TestApp;
  let admin: AdminClient;
  let agent: { id: number; name: string };

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
    await admin.post('/admin/prices', { model: 'invoiced', ...INVOICED_PRICE });
    const made = await admin.post<{ id: number; name: string }>('/agents', { name: 'Invoiced' });
    agent = made.body.data;
  });

  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const rows = (): Promise<UsageCostEntity[]> =>
    findRows(app.app.get(Database).manager, UsageCostEntity, {}, { order: { id: 'ASC' } });

  const costOf = ({ costUnits, costMicros, costPicos }: UsageCostEntity): bigint =>
    fromParts({ units: costUnits!, micros: costMicros!, picos: costPicos! });

  const sumOf = (amounts: readonly bigint[]): string => formatDecimal(amounts.reduce((sum, each) => sum + each, 0n));

  const sorted = (amounts: readonly bigint[]): string[] => amounts.map((each) => formatDecimal(each)).toSorted();

  /** Every way to ask, and where its answer tells the cost: as it was written. */
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

  async function inChat(content: string, token: string, query: string, headers = {}): Promise<Answer> {
    const { body } = await post<{ id: number }>('/api/v1/chat', token, { agent_id: agent.id });
    return post(`/api/v1/chat/message${query}`, token, { chat_id: body.id, content }, headers);
  }

  async function complete(content: string, token: string, more: object): Promise<string | undefined> {
    const body = { model: agent.name, messages: [{ role: 'user', content }], ...more };
    return costIn(await post('/openai/v1/chat/completions', token, body), /"cost":([\d.]+)/);
  }

  async function respond(content: string, token: string, more: object): Promise<string | undefined> {
    return costIn(
      await post('/openai/v1/responses', token, { model: agent.name, input: content, ...more }),
      /"cost":([\d.]+)/,
    );
  }

  const costIn = ({ text }: Answer, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

  it('agree to the last digit, whatever the dialect and whatever happened', async () => {
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
    // Titles come after their replies.
    const ledger = await eventually(async () => {
      const all = await rows();
      return all.filter(({ requests }) => requests > 0).length === provider.invoice.length ? all : undefined;
    });
    const exact = ledger.filter(({ isEstimated, requests }) => !isEstimated && requests > 0);
    const invoice = provider.invoice.filter((line) => line !== null);
    expect(sorted(exact.map(costOf))).toEqual(sorted(invoice));
    expect(sumOf(exact.map(costOf))).toBe(sumOf(invoice));
    expect(invoice.length).toBeGreaterThan(60);
    // Where the provider told nothing, the ledger says so.
    const estimated = ledger.filter(({ isEstimated }) => isEstimated);
    expect(estimated).toHaveLength(provider.invoice.filter((line) => line === null).length);
    expect(estimated.every(({ promptTokens }) => promptTokens > 0)).toBe(true);
    // What was refused cost nothing.
    expect(ledger.filter(({ requests }) => requests === 0).every((row) => costOf(row) === 0n)).toBe(true);

    const costs = new Set(ledger.map((row) => formatDecimal(costOf(row))));
    // Every dialect tells it, but for trials, cut replies, and what cost nothing because it was refused.
    const untold = told.filter(
      ({ cost, course, dialect }) => cost === undefined && course !== 'cut' && dialect !== 'a trial',
    );
    expect(untold.length).toBeLessThanOrEqual(ledger.filter(({ requests }) => requests === 0).length);
    expect(new Set(told.filter(({ cost }) => cost !== undefined).map(({ dialect }) => dialect)).size).toBe(
      DIALECTS.length - 1,
    );
    expect(told.filter(({ cost }) => cost !== undefined && !costs.has(cost))).toEqual([]);

    const [total] = await admin.items<{ cost: string }>('/admin/stats/usage?group_by=provider');
    expect(total?.cost).toBe(sumOf(ledger.map(costOf)));
    const { body } = await call<{ total_cost: string }>(`${app.url}/user/total-stats`, { token });
    const own = ledger.filter(({ kind }) => kind !== 'trial');
    expect(body.total_cost).toBe(sumOf(own.map(costOf)));
  });
});
