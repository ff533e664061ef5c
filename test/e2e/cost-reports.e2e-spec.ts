// @databases mariadb: exact decimals
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
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

describe('cost reports', () => {
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

  it('add up if they are larger than doubles and BIGINT hold in pico-units', async () => {
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

  it('are sorted even if they differ very little', async () => {
    for (const [model, output] of Object.entries({ 'a little less': '0.999999', full: '1' })) {
      await admin.post('/admin/prices', { model, input: '1', output });
      await ask(model);
    }
    const [first, second] = await rows(`group_by=model&sort=-cost&user_id=${await userId()}`);
    expect([first?.cost, second?.cost]).toEqual(['0.00011', '0.00010999999']);
  });

  it('distinguish model names byte for byte', async () => {
    const names = ['dear', 'Dear', 'de\u0301ar', 'd\u00e9ar'];
    for (const name of names) await ask(name);
    await fold();
    const found = (await rows(`group_by=model&user_id=${await userId()}`)).filter(({ key }) => key !== null);
    expect(found.map(({ key, cost }) => [key, cost]).sort()).toEqual(
      names.map((name) => [name, name === 'dear' ? '0.0003' : null]).sort(),
    );
    expect([await ask('dear '), await ask('dear')]).toEqual([null, '0.0003']);
  });

  it('have no deleted price, even if two were deleted in the same millisecond', async () => {
    app.freezeClock();
    for (const model of ['gone', 'gone too']) await admin.post('/admin/prices', { model, input: '1', output: '1' });
    for (const model of ['gone', 'gone too']) {
      expect((await admin.delete(`/admin/prices/${await priceId(model)}`)).status).toBe(200);
      expect(await ask(model)).toBeNull();
    }
  });

  it('use an imported list immediately', async () => {
    expect(await ask('listed')).toBeNull();
    const listed = { litellm_provider: 'default', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    await admin.post('/admin/prices/import?format=litellm', { listed });
    expect(await ask('listed')).toBe('0.00011');
  });

  it('report a missing price once for each model, until prices change', async () => {
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

  it('of the current month are in the overview', async () => {
    const monthOf = async (): Promise<Row> =>
      (await admin.get<{ this_month: Row }>('/admin/stats/overview')).body.data.this_month;
    const before = await monthOf();
    await ask('dear');
    await ask('cheap');
    const { cost, ...counted } = await monthOf();
    expect(counted).toMatchObject({ unpriced: before.unpriced + 1, requests: before.requests + 2 });
    expect(money(cost ?? '') - money(before.cost ?? '')).toBe(money('0.0003'));
  });

  it('by provider distinguish neither agents nor keys', async () => {
    for (const field of ['agent_id', 'api_key_id']) {
      const refused = await admin.get(`/admin/stats/usage?group_by=provider&${field}=1`);
      const { details } = expectFailure(refused, 400, 'VALIDATION_ERROR');
      expect(details).toMatchObject({ field, reason: 'not_counted_by_provider' });
    }
  });

  it('by group count users in each of their groups', async () => {
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

  it('are a list of requests, with the price of each, its filters and a file', async () => {
    const [model, chatName] = [uniqueContent('row').slice(-20), uniqueContent()];
    const price = await admin.post<{ id: number }>('/admin/prices', { model, input: '1', output: '2' });
    const agent = await admin.post<{ id: number; name: string }>('/agents', { name: model, model });
    const client = await app.newClient();
    const { id: user_id, username } = (await client.request<{ id: number; username: string }>('/users/me')).body;
    const group = (await admin.post<{ id: number }>('/admin/groups', { name: model })).body.data.id;
    await admin.post(`/admin/groups/${group}/members`, { user_id });
    const chat = await client.createChat({ agent_id: agent.body.data.id, title: 'Given' });
    await app.model.script({ key: chatName, steps: [{ text: 'Hello' }], usage: USAGE });
    await client.send(chat.id, chatName);
    const row = {
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      kind: 'reply',
      round: 1,
      attempt: 1,
      provider: 'default',
      model,
      model_answered: expect.anything(),
      user: { id: user_id, username },
      api_key: null,
      agent: { id: agent.body.data.id, name: model },
      prompt_tokens: USAGE.prompt_tokens,
      completion_tokens: USAGE.completion_tokens,
      cached_tokens: 0,
      cache_write_tokens: 0,
      cache_write_1h_tokens: 0,
      reasoning_tokens: 0,
      images: 0,
      web_searches: 0,
      requests: 1,
      is_estimated: false,
      cost: expect.stringMatching(/^0\.0/),
      currency: 'USD',
      price: expect.objectContaining({ id: price.body.data.id, input: '1', output: '2', cached_input: null }),
      message_id: expect.any(Number),
      chat_id: chat.id,
    };
    const today = new Date().toISOString().slice(0, 10);
    for (const filter of [
      ...[`user_id=${user_id}`, `group_id=${group}`, `agent_id=${agent.body.data.id}`, `model=${model}`],
      ...[`chat_id=${chat.id}&kind=reply`, `user_id=${user_id}&provider=default&from=${today}&to=${today}`],
    ]) {
      const items = await admin.items<object>(`/admin/costs?${filter}`);
      expect({ filter, items }).toEqual({ filter, items: [row] });
    }
    for (const filter of [`group_id=${group + 1}`, 'api_key_id=4711', 'kind=embedding', `to=2020-01-01`]) {
      expect(await admin.items<object>(`/admin/costs?user_id=${user_id}&${filter}`)).toEqual([]);
    }
    expectFailure(await admin.get('/admin/costs?from=2026-02-01&to=2026-01-01'), 400, 'VALIDATION_ERROR');
    const file = parseCsv((await admin.get(`/admin/costs?user_id=${user_id}&format=csv`)).text.replace('\ufeff', ''));
    expect(file.rows).toMatchObject([{ model, chat_id: String(chat.id) }]);
    expect(JSON.parse(file.rows[0]?.price ?? '')).toMatchObject({ id: price.body.data.id });
    const focus = parseCsv((await admin.get(`/admin/stats/usage?format=focus&user_id=${user_id}`)).text);
    expect(focus.rows).toMatchObject([{ Tags: JSON.stringify({ groups: model, agent: model }) }]);
    const { text } = await client.request('/user/export');
    const { user: _user, ...own } = row;
    const { costs } = JSON.parse(text) as { costs: object[] };
    expect(costs).toEqual([{ ...own, api_key_id: null, agent_id: agent.body.data.id, created_at: own.at }]);
  });

  it('search the ledger outside the event loop', async () => {
    await ask('dear');
    const database = app.app.get(Database);
    const statements = jest.spyOn(database.manager.dataSource.logger, 'logQuery');
    for (const path of [
      '/admin/stats/usage?format=focus',
      '/admin/costs?model=dear',
      '/admin/costs?model=dear&format=csv',
    ]) {
      expect((await admin.get(path)).text).toContain('dear');
    }
    const searches = statements.mock.calls.filter(([sql]) =>
      /FROM usage_costs WHERE \(?(created_at|model)\b/.test(sql),
    );
    expect(searches.length > 0).toBe(database.isShared);
  });

  it('in FinOps FOCUS format are a file', async () => {
    await ask('dear');
    await ask('cheap');
    const id = await userId();
    const { text, headers } = await admin.get(`/admin/stats/usage?format=focus&user_id=${id}`);
    expect(headers.get('content-disposition')).toContain('focus-1.2-');
    const { rows: cells } = parseCsv(text);
    expect(cells).toMatchObject([
      {
        BilledCost: '',
        ResourceId: 'cheap',
        Tags: expect.stringMatching(/^\{"agent":".+","unpriced_requests":"1"\}$/),
      },
      {
        BilledCost: '0.0003',
        BillingCurrency: 'USD',
        ChargePeriodStart: `${today()}T00:00:00Z`,
        ConsumedQuantity: '110',
        ConsumedUnit: 'Tokens',
        ProviderName: '127.0.0.1',
        ResourceId: 'dear',
        SubAccountId: String(id),
        Tags: expect.stringMatching(/^\{"agent":"[^"]+"\}$/),
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
  ])('are corrected by recalculation, %s', async (_when, summedUp) => {
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

  it('are recalculated only with a reason', async () => {
    const answer = await admin.post('/admin/prices/recompute', { from: today(), to: today() });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'reason' });
    const turned = await admin.post('/admin/prices/recompute', { from: '2026-02-02', to: '2026-02-01', reason: 'x' });
    expect(expectFailure(turned, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'to' });
  });
});
