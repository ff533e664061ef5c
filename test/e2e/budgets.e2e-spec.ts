// @databases mariadb: a window function over what is spent
import type { Hold } from '../../src/modules/budget/admission/budget-admission';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { OwnBudgetDto } from '../../src/modules/budget/own/own-budget.dto';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { hold, makeBudget, settle } from '../support/budgets';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

/** Fields that no change of a budget changes. */
const FIXED = { scope: 'service', scope_id: null, each_user: true, window: 'day', starts_at: '2026-01-01T00:00:00Z' };

describe('/admin/budgets', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let user: TestAccount;

  beforeEach(async () => {
    user = await createUser(app);
  });

  afterEach(async () => {
    app.resetClock();
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
  });

  const ofUser = (limit: string, more: object = {}) =>
    makeBudget(admin, { scope: 'user', scope_id: user.user.id, limit, ...more });

  const spend = async (cost: string) => settle(app, (await hold(app, { userId: user.user.id }, cost)) as Hold, cost);

  const own = async (token = user.token) => (await call<OwnBudgetDto[]>(`${app.url}/user/budget`, { token })).body;

  it('creates, shows, changes, resets and deletes a budget, each in the audit log', async () => {
    app.freezeClock();
    const made = await admin.post<BudgetDto>('/admin/budgets', {
      scope: 'user',
      scope_id: user.user.id,
      window: 'week',
      limit: '12.50',
      note: 'For a trial.',
    });
    const { id } = made.body.data;
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      scope: 'user',
      scope_id: user.user.id,
      each_user: false,
      window: 'week',
      limit: '12.5',
      mode: 'hard',
      thresholds: [50, 80, 100],
      note: 'For a trial.',
      spent: '0',
      reserved: '0',
    });
    expect(await admin.entriesOf(made)).toMatchObject([{ action: 'budget.create', target_id: `${id}` }]);
    await spend('2');
    const changed = await admin.put<BudgetDto>(`/admin/budgets/${id}`, {
      limit: '20',
      mode: 'soft',
      thresholds: [90, 10],
      note: null,
      ...FIXED,
    });
    expect(changed.body.data).toEqual({
      ...made.body.data,
      limit: '20',
      mode: 'soft',
      thresholds: [10, 90],
      note: null,
      spent: '2',
    });
    const reset = await admin.post<BudgetDto>(`/admin/budgets/${id}/reset`);
    expect(reset.status).toBe(200);
    expect(reset.body.data).toMatchObject({ spent: '0' });
    expect(await admin.entriesOf(reset)).toMatchObject([{ action: 'budget.reset' }]);
    expect((await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data).toEqual(reset.body.data);
    expect(await admin.items('/admin/budgets?scope=user')).toEqual([reset.body.data]);
    expect(await admin.items('/admin/budgets?scope=service')).toEqual([]);
    expect((await admin.delete(`/admin/budgets/${id}`)).body.data).toEqual({ id, deleted: true });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await call(`${app.url}/admin/budgets/${id}`, {
        method,
        token: admin.account.token,
        ...(method === 'PUT' && { body: { limit: '1' } }),
      });
      expectFailure(answer, 404, 'BUDGET_NOT_FOUND');
    }
    expectFailure(await admin.post(`/admin/budgets/${id}/reset`), 404, 'BUDGET_NOT_FOUND');
  });

  it.each<[string, object]>([
    ['scope_id', { scope: 'service', scope_id: 1 }],
    ['scope_id', { scope: 'user' }],
    ['scope_id', { scope: 'user', scope_id: 1_000_000 }],
    ['scope_id', { scope: 'user', scope_id: 'free' }],
    ['scope_id', { scope: 'agent', scope_id: 1_000_000 }],
    ['scope_id', { scope: 'api_key', scope_id: 1_000_000 }],
    ['scope_id', { scope: 'group', scope_id: 1_000_000 }],
    ['scope_id', { scope: 'membership_type', scope_id: 'daily' }],
    ['limit', { limit: '-1' }],
  ])('refuses a wrong %s (%j)', async (field, fault) => {
    const answer = await admin.post('/admin/budgets', { scope: 'service', window: 'month', limit: '1', ...fault });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field });
    expect(await admin.items('/admin/budgets')).toEqual([]);
  });

  it('has a name, which can be changed and removed', async () => {
    const { id, name } = await ofUser('1', { name: 'Marketing' });
    expect(name).toBe('Marketing');
    expect(await ofUser('1')).toMatchObject({ name: null });
    for (const changed of ['Sales', null]) {
      await admin.put(`/admin/budgets/${id}`, { name: changed });
      expect((await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data.name).toBe(changed);
    }
  });

  it('lists the users who have used it up if each has the limit', async () => {
    const [none, other] = [await createUser(app), await createUser(app)];
    const plan = { scope: 'membership_type', scope_id: 'free', limit: '1', mode: 'soft' };
    const { id } = await makeBudget(admin, { ...plan, each_user: true });
    await makeBudget(admin, plan);
    const spendAs = async (userId: number, cost: string) =>
      settle(app, (await hold(app, { userId }, cost)) as Hold, cost);
    await spendAs(none.user.id, '0.999999');
    await spendAs(other.user.id, '1');
    await spend('2.5');
    const used_up = [
      { user_id: user.user.id, username: user.user.username, spent: '2.5', limit: '1' },
      { user_id: other.user.id, username: other.user.username, spent: '1', limit: '1' },
    ];
    const listed = await admin.items<BudgetDto>('/admin/budgets');
    expect(listed.map((budget) => budget.used_up)).toEqual([used_up, []]);
    expect((await admin.get<BudgetDto>(`/admin/budgets/${id}`)).body.data.used_up).toEqual(used_up);
  });

  it('is for administrators', async () => {
    expect((await call(`${app.url}/admin/budgets`, { token: user.token })).status).toBe(403);
    expect((await call(`${app.url}/admin/budgets`)).status).toBe(401);
  });

  it('shows users the amounts of their own budgets, and for shared ones only whether something is left', async () => {
    expect(await own()).toEqual([]);
    const { resets_at } = await ofUser('2');
    await makeBudget(admin, { scope: 'service', limit: '1', window: 'total' });
    await makeBudget(admin, {
      scope: 'membership_type',
      scope_id: 'free',
      limit: '3',
      each_user: true,
      window: 'total',
    });
    await makeBudget(admin, { scope: 'membership_type', scope_id: 'yearly', limit: '3' });
    await spend('0.5');
    const held = (await hold(app, { userId: user.user.id }, '0.5')) as Hold;
    const amounts = { spent: '0.5', reserved: '0.5' };
    expect(await own()).toEqual([
      { scope: 'service', window: 'total', resets_at: null, exhausted: true },
      { scope: 'user', window: 'month', resets_at, limit: '2', ...amounts, remaining: '1' },
      { scope: 'membership_type', window: 'total', resets_at: null, limit: '3', ...amounts, remaining: '2' },
    ]);
    await settle(app, held, '0');
    expect((await own())[0]).toMatchObject({ exhausted: false });
    expect(await own((await createUser(app)).token)).toMatchObject([
      { scope: 'service' },
      { scope: 'membership_type', spent: '0', remaining: '3' },
    ]);
    await settle(app, (await hold(app, { userId: user.user.id }, '0.1')) as Hold, '5');
    expect((await own())[1]).toMatchObject({ spent: '5.5', remaining: '0' });
  });

  it('shows and charges the budget of a key to its callers, however often it is rotated', async () => {
    const key = await makeKey(app, user.token, { scopes: ['usage:read'] });
    await makeBudget(admin, { scope: 'api_key', scope_id: key.id, limit: '1' });
    expect(await own()).toEqual([]);
    expect(await own(key.key)).toMatchObject([{ scope: 'api_key', limit: '1', spent: '0' }]);
    await settle(app, (await hold(app, { userId: user.user.id, apiKeyId: key.id }, '0.2')) as Hold, '0.2');
    const rotated = await call<{ key: string }>(`${app.url}/user/api-keys/${key.id}/rotate`, {
      token: user.token,
      body: {},
    });
    expect(await own(rotated.body.key)).toMatchObject([{ scope: 'api_key', spent: '0.2' }]);
    expect(await hold(app, { userId: user.user.id }, '5')).toBeNull();
  });

  it('charges each group of a user, by the membership at the start of a request', async () => {
    const groups = await Promise.all(
      [1, 2].map(
        async () => (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data.id,
      ),
    );
    for (const id of groups) {
      await admin.post(`/admin/groups/${id}/members`, { user_id: user.user.id });
      await makeBudget(admin, { scope: 'group', scope_id: id, limit: '1' });
    }
    const held = (await hold(app, { userId: user.user.id }, '0.4')) as Hold;
    await admin.delete(`/admin/groups/${groups[1]}/members/${user.user.id}`);
    await settle(app, held, '0.4');
    await spend('0.1');
    const spent = (await admin.items<BudgetDto>('/admin/budgets')).map((budget) => budget.spent);
    expect(spent).toEqual(['0.5', '0.4']);
    expect(await own()).toEqual([expect.objectContaining({ scope: 'group', exhausted: false })]);
  });
});
