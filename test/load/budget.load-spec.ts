import { BudgetCrowd, CROWD } from '../support/budget-crowd';
import { money } from '../support/budgets';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const [SENDS, PEOPLE, ROOM] = [1_000, 50, 137];

describe('a thousand concurrent sends, over three instances, against a budget for 137', () => {
  const app = useOwnChatApp(CROWD);
  const admin = useAdmin(app);
  let crowd: BudgetCrowd;

  beforeAll(async () => {
    crowd = new BudgetCrowd(app, admin);
    await crowd.start(3);
  });

  afterAll(() => crowd.close());

  it('are admitted 137 times, and leave no hold', async () => {
    const { admitted, refused, during, after, limit } = await crowd.sendAtOnce(SENDS, PEOPLE, ROOM);
    expect(admitted).toBe(ROOM);
    expect([...refused]).toEqual(['BUDGET_EXCEEDED']);
    expect(money(during?.reserved ?? '0')).toBe(limit);
    expect(after).toEqual({ spent: '0.01918', reserved: '0' });
  });
});
