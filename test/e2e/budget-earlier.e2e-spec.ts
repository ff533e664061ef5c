// @databases mariadb: dates and times
import { DAY_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import type { Hold } from '../../src/modules/budget/admission/budget-admission';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { OwnBudgetDto } from '../../src/modules/budget/own/own-budget.dto';
import { LedgerCheck } from '../../src/modules/budget/windows/ledger-check';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { hold, makeBudget, money, settle, windowsOf } from '../support/budgets';
import { call } from '../support/http';
import { recordRequest } from '../support/ledger-rows';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const MINUTE = 60_000;

/** What each request costs. */
const COST = '0.00011';

describe('spending before a budget was created', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let user: TestAccount;

  beforeAll(() =>
    admin.post('/admin/prices', { model: 'priced', input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' }),
  );

  beforeEach(async () => {
    user = await createUser(app);
  });

  afterEach(async () => {
    app.resetClock();
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
  });

  const spend = (more: object = {}) =>
    recordRequest(app, { userId: user.user.id, model: 'priced', askedAt: new Date(Date.now() - MINUTE), ...more });
  const anHourAgo = () => new Date(Date.now() - 60 * MINUTE).toISOString();

  it('is that of the key only if every user of a key has the limit', async () => {
    const key = await makeKey(app, user.token, { scopes: ['usage:read'] });
    await spend();
    await spend({ apiKeyId: key.id });
    const budget = { scope: 'api_key', scope_id: key.id, limit: '1', starts_at: anHourAgo(), window: 'total' };
    await makeBudget(admin, { ...budget, each_user: true });
    await makeBudget(admin, budget);
    const own = await call<OwnBudgetDto[]>(`${app.url}/user/budget`, { token: key.key });
    expect(own.body.map(({ spent }) => spent)).toEqual([COST, COST]);
  });

  it('belongs to the window in which it started, like everything that a budget admits', async () => {
    const midnight = Math.ceil(Date.now() / DAY_MILLISECONDS) * DAY_MILLISECONDS;
    const [before, after] = [new Date(midnight - MINUTE), new Date(midnight + MINUTE)];
    app.freezeClock();
    app.advanceClock(midnight + 2 * MINUTE - Date.now());
    await spend({ askedAt: before, at: after });
    const starts_at = new Date(midnight - 60 * MINUTE).toISOString();
    const budget = { scope: 'user', scope_id: user.user.id, limit: '1' };
    expect(await makeBudget(admin, { ...budget, window: 'day', starts_at })).toMatchObject({ spent: '0' });
    expect(await makeBudget(admin, { ...budget, window: 'total', starts_at })).toMatchObject({ spent: COST });
    const later = new Date(midnight).toISOString();
    expect(await makeBudget(admin, { ...budget, window: 'total', starts_at: later })).toMatchObject({ spent: '0' });
  });

  it('is read outside the event loop, except for the last minutes', async () => {
    await spend({ askedAt: new Date(Date.now() - 30 * MINUTE) });
    const database = app.app.get(Database);
    const statements = jest.spyOn(database.manager.dataSource.logger, 'logQuery');
    const budget = { scope: 'user', scope_id: user.user.id, limit: '1', window: 'total', starts_at: anHourAgo() };
    expect((await makeBudget(admin, budget)).spent).toBe(COST);
    app.advanceClock(15_000);
    await app.app.get(LedgerCheck).checkDue();
    const half = new Date(Date.now() - 30 * MINUTE);
    const long = statements.mock.calls.filter(
      ([sql, values]) => /FROM usage_costs WHERE created_at/.test(sql) && (values as Date[])[0]! < half,
    );
    expect(long.length > 0).toBe(database.isShared);
  });

  it('includes requests that started while the budget was created, and was still unknown', async () => {
    const askedAt = new Date(Date.now() + 1_000);
    await spend({ askedAt });
    const budget = { scope: 'user', scope_id: user.user.id, limit: '1' };
    expect(await makeBudget(admin, budget)).toMatchObject({ spent: COST });
  });

  it('is that of the groups at admission, even when it is recalculated', async () => {
    const falling = { model: 'falling', input: '9', output: '9', valid_from: '2026-01-01T00:00:00Z' };
    await admin.post('/admin/prices', falling);
    const [left, joined] = [await makeGroup(), await makeGroup()];
    await admin.post(`/admin/groups/${left}/members`, { user_id: user.user.id });
    await spend({ model: 'falling', askedAt: new Date(Date.now() - 30 * MINUTE) });
    await admin.delete(`/admin/groups/${left}/members/${user.user.id}`);
    await admin.post(`/admin/groups/${joined}/members`, { user_id: user.user.id });
    await spend({ askedAt: new Date(Date.now() - 20 * MINUTE) });
    const starts_at = anHourAgo();
    const of = (scope_id: number) =>
      makeBudget(admin, { scope: 'group', scope_id, limit: '1', window: 'total', starts_at });
    const budgets = [await of(left), await of(joined)];
    expect(budgets.map(({ spent }) => spent)).toEqual(['0.00099', COST]);
    await admin.post('/admin/prices', { ...falling, input: '1', output: '1', valid_from: '2026-01-02T00:00:00Z' });
    const period = { from: starts_at, to: new Date().toISOString(), reason: 'The price fell.' };
    expect((await admin.post('/admin/prices/recompute', period)).status).toBe(200);
    const after = await Promise.all(budgets.map(({ id }) => admin.get<BudgetDto>(`/admin/budgets/${id}`)));
    expect(after.map(({ body }) => body.data.spent)).toEqual([COST, COST]);
  });

  async function makeGroup(): Promise<number> {
    return (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data.id;
  }

  it('is that of the plan at admission', async () => {
    const has = async (membership_type: string) => {
      const changes = { membership_type, membership_expires_at: new Date(Date.now() + 60 * MINUTE).toISOString() };
      expect((await admin.put(`/admin/users/${user.user.id}`, changes)).status).toBe(200);
    };
    await has('yearly');
    await spend();
    await has('monthly');
    const spentOf = async (scope_id: string) => {
      const plan = { scope: 'membership_type', scope_id, limit: '1', window: 'total', starts_at: anHourAgo() };
      return money((await makeBudget(admin, plan)).spent);
    };
    expect([await spentOf('yearly'), await spentOf('monthly')]).toEqual([money(COST), 0n]);
  });

  it('includes erased accounts, whose spending alone is kept', async () => {
    const group = await makeGroup();
    await admin.post(`/admin/groups/${group}/members`, { user_id: user.user.id });
    const key = await makeKey(app, user.token, { scopes: ['usage:read'] });
    await spend({ apiKeyId: key.id, times: 2 });
    const { manager } = app.app.get(Database);
    const [row] = await findRows(manager, UsageCostEntity, { userId: user.user.id });
    await eraseUser();
    const nobody = { userId: 0, apiKeyId: null, chatId: 0, messageId: null, groupIds: [group] };
    expect(await findRows(manager, UsageCostEntity, { id: row!.id })).toMatchObject([nobody]);
    expect(await findRows(manager, UsageCostEntity, { userId: user.user.id })).toEqual([]);
    const budget = { scope: 'group', scope_id: group, limit: '1', window: 'total', starts_at: anHourAgo() };
    expect((await makeBudget(admin, budget)).spent).toBe('0.00022');
  });

  async function eraseUser(): Promise<void> {
    await admin.delete(`/admin/users/${user.user.id}`);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(user.user.id);
    }
  }

  it('is recalculated for erased accounts whose plan at admission is unknown', async () => {
    await spend({ model: 'erased' });
    // As rows of earlier versions, which had no plan.
    const unknown = { plan: null, groupIds: null };
    await app.app
      .get(Database)
      .write((manager) => updateRows(manager, UsageCostEntity, unknown, { userId: user.user.id }));
    await eraseUser();
    const starts_at = anHourAgo();
    const budget = { limit: '1', window: 'total', starts_at };
    const plan = await makeBudget(admin, { ...budget, scope: 'membership_type', scope_id: 'free' });
    const service = await makeBudget(admin, { ...budget, scope: 'service' });
    await admin.post('/admin/prices', { model: 'erased', input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const period = { from: starts_at, to: new Date().toISOString(), reason: 'The price came late.' };
    expect((await admin.post('/admin/prices/recompute', period)).status).toBe(200);
    const added = async ({ id, spent }: BudgetDto) =>
      money((await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data.spent) - money(spent);
    expect([await added(plan), await added(service)]).toEqual([0n, money(COST)]);
  });

  it("is the user's own with the agent if the limit is per user, and zero after a reset", async () => {
    await spend();
    await spend({ agentId: 1 });
    const agent = { scope: 'agent', scope_id: 1, each_user: true, limit: '1', window: 'total', starts_at: anHourAgo() };
    const free = { ...agent, scope: 'membership_type', scope_id: 'free' };
    const [ofAgent, ofPlan] = [await makeBudget(admin, agent), await makeBudget(admin, free)];
    await admin.post(`/admin/budgets/${ofPlan.id}/reset`);
    const held = (await hold(app, { userId: user.user.id, agentId: 1 }, '0')) as Hold;
    await settle(app, held, '0');
    expect(await windowsOf(app, ofAgent.id)).toEqual([{ spent: COST, reserved: '0' }]);
    expect(await windowsOf(app, ofPlan.id)).toEqual([{ spent: '0', reserved: '0' }]);
  });

  it('is recalculated even for accounts that are closed by then', async () => {
    await spend({ model: 'late' });
    await admin.delete(`/admin/users/${user.user.id}`);
    const starts_at = anHourAgo();
    const plan = { scope: 'membership_type', scope_id: 'free', limit: '1', window: 'total', starts_at };
    const { id, spent } = await makeBudget(admin, plan);
    await admin.post('/admin/prices', { model: 'late', input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const period = { from: starts_at, to: new Date().toISOString(), reason: 'The price came late.' };
    expect((await admin.post('/admin/prices/recompute', period)).status).toBe(200);
    const after = (await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data.spent;
    expect(money(after) - money(spent)).toBe(money(COST));
  });
});
