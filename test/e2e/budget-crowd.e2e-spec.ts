// @databases mariadb: locks and deadlocks
import { BudgetCrowd, CROWD } from '../support/budget-crowd';
import { money } from '../support/budgets';
import { useAdmin, useOwnChatApp } from '../support/use-app';

/** Ten times as many are in `test/load`. */
const [SENDS, PEOPLE, ROOM] = [100, 5, 14];

describe('many concurrent users under a budget', () => {
  const app = useOwnChatApp(CROWD);
  const admin = useAdmin(app);
  let crowd: BudgetCrowd;

  beforeAll(async () => {
    crowd = new BudgetCrowd(app, admin);
    await crowd.start(3);
  });

  afterAll(() => crowd.close());

  it('are admitted as long as it lasts, over all instances, and leave no hold', async () => {
    const { admitted, refused, during, after, limit } = await crowd.sendAtOnce(SENDS, PEOPLE, ROOM);
    expect(admitted).toBe(ROOM);
    expect([...refused]).toEqual(['BUDGET_EXCEEDED']);
    expect(during?.spent).toBe('0');
    expect(money(during?.reserved ?? '0')).toBe(limit);
    expect(after).toEqual({ spent: '0.00196', reserved: '0' });
  });
});
