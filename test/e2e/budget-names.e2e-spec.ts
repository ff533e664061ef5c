import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { OwnBudgetDto } from '../../src/modules/budget/own/own-budget.dto';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

describe('the targets of budgets', () => {
  const app = useTestApp();
  const admin = useAdmin(app);

  it('are shown by name, as long as they exist', async () => {
    const { user, token } = await createUser(app);
    const group = await admin.post<{ id: number }>('/admin/groups', { name: `Team ${user.id}` });
    const agent = await admin.post<{ id: number }>('/agents', { name: `Guide ${user.id}` });
    const key = await makeKey(app, token, { name: 'Nightly', scopes: ['chat:read'] });
    const made: number[] = [];
    for (const [scope, scope_id, scope_name] of [
      ['group', group.body.data.id, `Team ${user.id}`],
      ['agent', agent.body.data.id, `Guide ${user.id}`],
      ['api_key', key.id, 'Nightly'],
      ['user', user.id, user.username],
    ] as const) {
      const budget = await makeBudget(admin, { scope, scope_id, limit: '1', mode: 'soft' });
      expect(budget).toMatchObject({ scope_name, currency: 'USD' });
      made.push(budget.id);
    }
    await admin.delete(`/admin/groups/${group.body.data.id}`);
    const listed = await admin.items<BudgetDto>('/admin/budgets?size=100');
    const names = made.map((id) => listed.find((budget) => budget.id === id)?.scope_name);
    expect(names).toEqual([null, `Guide ${user.id}`, 'Nightly', user.username]);
    for (const id of made) await admin.delete(`/admin/budgets/${id}`);
  });

  it('are listed for the user in pages on request, with the total length', async () => {
    const { user, token } = await createUser(app);
    const budget = { scope: 'user', scope_id: user.id, limit: '1' };
    const made = [];
    for (const window of ['day', 'week', 'month']) made.push(await makeBudget(admin, { ...budget, window }));
    const list = (query: string) => call<OwnBudgetDto[]>(`${app.url}/user/budget${query}`, { token });
    const all = (await list('')).body;
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const [query, part] of [
      ['', all],
      ['?limit=1', all.slice(0, 1)],
      ['?limit=2&offset=1', all.slice(1, 3)],
      ['?offset=1000', []],
    ] as const) {
      const { body, headers } = await list(query);
      expect(body.map(({ window }) => window)).toEqual(part.map(({ window }) => window));
      expect(headers.get('x-total-count')).toBe(`${all.length}`);
    }
    expectFailure(await list('?limit=0'), 400, 'VALIDATION_ERROR');
    for (const { id } of made) await admin.delete(`/admin/budgets/${id}`);
  });
});
