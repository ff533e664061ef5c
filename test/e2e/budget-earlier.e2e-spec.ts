import { DAY_MILLISECONDS } from '../../src/common/time';
import type { Hold } from '../../src/modules/budget/admission/hold';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { OwnBudgetDto } from '../../src/modules/budget/own/own-budget.dto';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { hold, makeBudget, money, settle, windowsOf } from '../support/budgets';
import { call } from '../support/http';
import { recordRequest } from '../support/ledger-rows';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const MINUTE = 60_000;

/** What each request costs. */
const COST = '0.00011';

describe('what was spent before a budget was made', () => {
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

  it('is that of the key alone where every user of a key has the limit', async () => {
    const key = await makeKey(app, user.token, { scopes: ['usage:read'] });
    await spend();
    await spend({ apiKeyId: key.id });
    const budget = { scope: 'api_key', scope_id: key.id, limit: '1', starts_at: anHourAgo(), window: 'total' };
    await makeBudget(admin, { ...budget, each_user: true });
    await makeBudget(admin, budget);
    const own = await call<OwnBudgetDto[]>(`${app.url}/user/budget`, { token: key.key });
    expect(own.body.map(({ spent }) => spent)).toEqual([COST, COST]);
  });

  it('belongs to the window in which it began, as everything does that a budget admits', async () => {
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

  it('is also what began while the budget was being made, and was not known', async () => {
    const askedAt = new Date(Date.now() + 1_000);
    await spend({ askedAt });
    const budget = { scope: 'user', scope_id: user.user.id, limit: '1' };
    expect(await makeBudget(admin, budget)).toMatchObject({ spent: COST });
  });

  it('is that of the members of a group, and never less than nothing', async () => {
    const made = await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username });
    const members = `/admin/groups/${made.body.data.id}/members`;
    const falling = { model: 'falling', input: '9', output: '9', valid_from: '2026-01-01T00:00:00Z' };
    await admin.post('/admin/prices', falling);
    const late = await createUser(app);
    await spend({ userId: late.user.id, model: 'falling' });
    await admin.post(members, { user_id: user.user.id });
    await spend({ askedAt: new Date(Date.now() - 30 * MINUTE) });
    const starts_at = anHourAgo();
    const group = { scope: 'group', scope_id: made.body.data.id, limit: '1', window: 'total', starts_at };
    const { id, spent } = await makeBudget(admin, group);
    expect(spent).toBe(COST);
    await admin.post(members, { user_id: late.user.id });
    await admin.post('/admin/prices', { ...falling, input: '1', output: '1', valid_from: '2026-01-02T00:00:00Z' });
    const period = { from: starts_at, to: new Date().toISOString(), reason: 'The price fell.' };
    expect((await admin.post('/admin/prices/recompute', period)).status).toBe(200);
    expect((await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data.spent).toBe('0');
  });

  it('is that of the plan which its user still had', async () => {
    const yearly = {
      scope: 'membership_type',
      scope_id: 'yearly',
      limit: '1',
      window: 'total',
      starts_at: anHourAgo(),
    };
    const spentAfter = async (membership_expires_at: Date) => {
      const changes = { membership_type: 'yearly', membership_expires_at: membership_expires_at.toISOString() };
      expect((await admin.put(`/admin/users/${user.user.id}`, changes)).status).toBe(200);
      return (await makeBudget(admin, yearly)).spent;
    };
    await spend();
    expect(await spentAfter(new Date(Date.now() + 60 * MINUTE))).toBe(COST);
    expect(await spentAfter(new Date(Date.now() - 1))).toBe('0');
  });

  it('is what an agent was asked by the user who has the limit alone, after a reset', async () => {
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

  it('is reckoned anew also of accounts that are closed by then', async () => {
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
