import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { useAdmin, useTestApp } from '../support/use-app';

describe('what budgets are for', () => {
  const app = useTestApp();
  const admin = useAdmin(app);

  it('is told by name, as long as it is there', async () => {
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
});
