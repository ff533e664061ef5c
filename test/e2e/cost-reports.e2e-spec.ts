import { DomainEvents } from '../../src/common/events/domain-events';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { money } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { parseCsv } from '../support/csv';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

interface Row {
  key: string | number | null;
  cost: string | null;
  unpriced: number;
  tokens: number;
  requests: number;
  messages: number;
  currency: string;
}

describe('reports of costs', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const user = useClient(app);

  /** @returns the header with the cost of the last one */
  async function ask(model: string, times = 1): Promise<string | null> {
    const key = uniqueContent();
    await app.model.script({ key, times, steps: [{ text: 'Hello' }], usage: USAGE });
    const agent = await admin.post<{ id: number }>('/agents', { name: key.slice(-30), model });
    let cost: string | null = null;
    for (let index = 0; index < times; index++) {
      const chat = await user.createChat({ agent_id: agent.body.data.id, title: 'Given' });
      const { status, headers } = await user.send(chat.id, key);
      expect(status).toBe(200);
      cost = headers.get('x-cost');
    }
    return cost;
  }

  const userId = async (): Promise<number> => (await user.request<{ id: number }>('/users/me')).body.id;
  const rows = (query: string): Promise<Row[]> => admin.items<Row>(`/admin/stats/usage?${query}`);
  const fold = (): Promise<unknown> => app.app.get(UsageFolding).foldAll();
  const today = (): string => new Date().toISOString().slice(0, 10);

  afterEach(() => app.resetClock());

  beforeAll(() => admin.post('/admin/prices', { model: 'dear', input: '2', output: '10' }));

  it.each([
    ['before they are summed up', () => Promise.resolve()],
    ['afterwards', fold],
  ])('add up to the last digit, %s', async (_when, summedUp) => {
    await ask('dear', 3);
    await ask('cheap');
    await summedUp();
    const id = await userId();
    // 3 × (100 × 2 + 10 × 10) millionths
    const mine = `user_id=${id}`;
    expect(await rows(`group_by=user&${mine}`)).toMatchObject([
      { key: id, cost: '0.0009', unpriced: 1, tokens: 440, messages: 8, requests: 4, currency: 'USD' },
    ]);
    expect(await rows(`group_by=model&sort=-cost&${mine}`)).toMatchObject([
      { key: 'dear', cost: '0.0009', unpriced: 0 },
      { key: null, cost: '0' },
      { key: 'cheap', cost: null, unpriced: 1 },
    ]);
    expect((await rows(`group_by=model&sort=-requests&${mine}`)).map(({ requests }) => requests)).toEqual([3, 1, 0]);
    expect(await rows(`group_by=provider&${mine}`)).toMatchObject([
      { key: 'default', cost: '0.0009', unpriced: 1, tokens: 440, messages: 4 },
    ]);
    const { body } = await user.request('/user/usage-stats');
    const stats = { total_stats: { total_cost: '0.0009' }, today_stats: { today_cost: '0.0009' } };
    expect(body).toMatchObject({ currency: 'USD', ...stats });
    expect((await user.request('/user/total-stats')).body).toMatchObject({ total_cost: '0.0009', currency: 'USD' });
  });

  it('add up where they are larger than doubles and BIGINT hold in pico-units', async () => {
    await admin.post('/admin/prices', { model: 'vast', input: '999999999999.999999', output: '999999999999.999999' });
    await ask('vast', 2);
    const mine = `user_id=${await userId()}`;
    const total = { total_cost: '219999999.99999999978' };
    for (const summedUp of [() => Promise.resolve(), fold]) {
      await summedUp();
      expect(await rows(`group_by=day&${mine}`)).toContainEqual(expect.objectContaining({ cost: total.total_cost }));
      expect((await user.request('/user/total-stats')).body).toMatchObject(total);
    }
  });

  it('are in their order however little they differ', async () => {
    for (const [model, output] of Object.entries({ 'a little less': '0.999999', full: '1' })) {
      await admin.post('/admin/prices', { model, input: '1', output });
      await ask(model);
    }
    const [first, second] = await rows(`group_by=model&sort=-cost&user_id=${await userId()}`);
    expect([first?.cost, second?.cost]).toEqual(['0.00011', '0.00010999999']);
  });

  it('tell names of models apart byte for byte', async () => {
    const names = ['dear', 'Dear', 'de\u0301ar', 'd\u00e9ar'];
    for (const name of names) await ask(name);
    await fold();
    const found = (await rows(`group_by=model&user_id=${await userId()}`)).filter(({ key }) => key !== null);
    expect(found.map(({ key, cost }) => [key, cost]).sort()).toEqual(
      names.map((name) => [name, name === 'dear' ? '0.0003' : null]).sort(),
    );
    expect([await ask('dear '), await ask('dear')]).toEqual([null, '0.0003']);
  });

  it('have no price that is gone, though two went in the same millisecond', async () => {
    app.freezeClock();
    for (const model of ['gone', 'gone too']) await admin.post('/admin/prices', { model, input: '1', output: '1' });
    for (const model of ['gone', 'gone too']) {
      expect((await admin.delete(`/admin/prices/${await priceId(model)}`)).status).toBe(200);
      expect(await ask(model)).toBeNull();
    }
  });

  it('are those of an imported list at once', async () => {
    expect(await ask('listed')).toBeNull();
    const listed = { litellm_provider: 'default', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    await admin.post('/admin/prices/import?format=litellm', { listed });
    expect(await ask('listed')).toBe('0.00011');
  });

  it('are missed once for each model, until prices change', async () => {
    const missing: unknown[] = [];
    app.app.get(DomainEvents).on('price.missing', ({ data }) => Promise.resolve(void missing.push(data)));
    const model = `missing-${Math.random().toString(36).slice(2)}`;
    await ask(model, 2);
    await eventually(() => missing.length > 0);
    await ask('dear');
    await admin.post('/admin/prices', { model: 'another', input: '1', output: '1' });
    expect(missing).toEqual([{ provider: 'default', model }]);
    await ask(model);
    await eventually(() => missing.length > 1);
    expect(missing).toEqual([1, 2].map(() => ({ provider: 'default', model })));
  });

  it('of the present month are in the overview', async () => {
    const monthOf = async (): Promise<Row> =>
      (await admin.get<{ this_month: Row }>('/admin/stats/overview')).body.data.this_month;
    const before = await monthOf();
    await ask('dear');
    await ask('cheap');
    const { cost, ...counted } = await monthOf();
    expect(counted).toMatchObject({ unpriced: before.unpriced + 1, requests: before.requests + 2 });
    expect(money(cost ?? '') - money(before.cost ?? '')).toBe(money('0.0003'));
  });

  it('by provider tell neither agents nor keys apart', async () => {
    for (const field of ['agent_id', 'api_key_id']) {
      const refused = await admin.get(`/admin/stats/usage?group_by=provider&${field}=1`);
      const { details } = expectFailure(refused, 400, 'VALIDATION_ERROR');
      expect(details).toMatchObject({ field, reason: 'not_counted_by_provider' });
    }
  });

  it('by group count everybody in each of their groups', async () => {
    const id = await userId();
    await ask('dear');
    expect(await rows(`group_by=group&user_id=${id}`)).toMatchObject([{ key: null, name: null, cost: '0.0003' }]);
    const names = [`b${id}`, `a${id}`];
    const groups: number[] = [];
    for (const name of names) {
      const made = await admin.post<{ id: number }>('/admin/groups', { name });
      groups.push(made.body.data.id);
      const added = await admin.post(`/admin/groups/${made.body.data.id}/members`, { user_id: id, user_ids: [id] });
      expect(added.status).toBeLessThan(300);
    }
    expect(await rows(`group_by=group&sort=key&user_id=${id}`)).toMatchObject(
      groups.map((key, index) => ({ key, name: names[index], cost: '0.0003', messages: 2 })),
    );
    const { text } = await admin.get(`/admin/stats/usage?group_by=group&format=csv&user_id=${id}`);
    expect(text).toContain('"group_id"');
  });

  it('by FinOps FOCUS are a file', async () => {
    await ask('dear');
    await ask('cheap');
    const id = await userId();
    const { text, headers } = await admin.get(`/admin/stats/usage?format=focus&user_id=${id}`);
    expect(headers.get('content-disposition')).toContain('focus-1.2-');
    const { rows: cells } = parseCsv(text);
    expect(cells).toMatchObject([
      { BilledCost: '', ResourceId: 'cheap', Tags: '{"unpriced_requests":"1"}' },
      {
        BilledCost: '0.0003',
        BillingCurrency: 'USD',
        ChargePeriodStart: `${today()}T00:00:00Z`,
        ConsumedQuantity: '110',
        ConsumedUnit: 'Tokens',
        ProviderName: 'default',
        ResourceId: 'dear',
        SubAccountId: String(id),
        Tags: '{}',
      },
    ]);
  });

  it.each([
    ['before they are summed up', () => Promise.resolve()],
    ['afterwards', fold],
    [
      'when their day is closed',
      async () => {
        await fold();
        app.advanceClock(2 * 86_400_000);
        while (await app.app.get(DayClosingService).closeNextDay());
        app.resetClock();
      },
    ],
  ])('are mended by reckoning anew, %s', async (_when, summedUp) => {
    const model = `late-${Math.random().toString(36).slice(2)}`;
    const from = new Date().toISOString();
    await ask(model, 2);
    const to = new Date(Date.now() + 1).toISOString();
    await summedUp();
    const id = await userId();
    await admin.post('/admin/prices', { model, input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const before = await rows(`group_by=model&model=${model}`);
    expect(before).toMatchObject([{ cost: null, unpriced: 2 }]);
    const tried = await admin.post('/admin/prices/recompute', { from, to, reason: 'Late.', dry_run: true });
    const sums = { rows: 2, before: null, after: '0.00022' };
    expect(tried.body.data).toEqual({ ...sums, dry_run: true, currency: 'USD' });
    expect(await rows(`group_by=model&model=${model}`)).toEqual(before);
    const done = await admin.post('/admin/prices/recompute', { from, to, reason: 'Late.' });
    expect(done.body.data).toEqual({ ...sums, dry_run: false, currency: 'USD' });
    const told = { action: 'price_recompute.create', reason: 'Late.', after: { from, to, ...sums } };
    expect(await admin.entriesOf(done)).toMatchObject([told]);
    const ofUser = ['user', 'provider'].map((by) => `group_by=${by}&user_id=${id}`);
    for (const query of [`group_by=model&model=${model}`, ...ofUser]) {
      expect([query, await rows(query)]).toMatchObject([query, [{ cost: '0.00022', unpriced: 0 }]]);
    }
    expect((await user.request('/user/total-stats')).body).toMatchObject({ total_cost: '0.00022' });
    expectFailure(await admin.delete(`/admin/prices/${await priceId(model)}`), 409, 'PRICE_IN_USE');
  });

  const priceId = async (model: string): Promise<number> =>
    (await admin.items<{ id: number }>(`/admin/prices?q=${model}`))[0]!.id;

  it('are reckoned anew for a reason only', async () => {
    const answer = await admin.post('/admin/prices/recompute', { from: today(), to: today() });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'reason' });
    const turned = await admin.post('/admin/prices/recompute', { from: '2026-02-02', to: '2026-02-01', reason: 'x' });
    expect(expectFailure(turned, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'to' });
  });
});
