// @databases mariadb mysql: locks and deadlocks
import { BudgetExceededError } from '../../src/common/money/spending.errors';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { insertRow } from '../../src/database/statements/insert';
import { updateRows } from '../../src/database/statements/update';
import type { Hold } from '../../src/modules/budget/admission/budget-admission';
import { BudgetHoldEntity } from '../../src/modules/budget/admission/budget-hold.entity';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { createUser } from '../support/accounts';
import { allHolds, hold, makeBudget, settle, windowsOf } from '../support/budgets';
import { startInstance, type TestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

/** Midnight of the first of March in Apia is eleven o'clock of the last of February in UTC. */
const ZONE = 'Pacific/Apia';
const BEFORE_MIDNIGHT = Date.parse('2027-02-28T10:59:59.990Z');

const refusalOf = (holding: Promise<unknown>): Promise<BudgetExceededError> =>
  holding.then(
    () => Promise.reject(new Error('It was admitted.')),
    (error: BudgetExceededError) => error,
  );

describe('reserving the cost of a request', () => {
  const app = useOwnTestApp({ TIME_ZONE: ZONE });
  const admin = useAdmin(app);
  let userId: number;

  beforeEach(async () => {
    ({
      user: { id: userId },
    } = await createUser(app));
  });

  afterEach(async () => {
    app.resetClock();
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(await allHolds(app)).toEqual([]);
  });

  it('reserves nothing and queries nothing if there is no budget', async () => {
    expect(await hold(app, { userId }, '1')).toBeNull();
    await makeBudget(admin, { scope: 'user', scope_id: admin.id, limit: '0' });
    expect(await hold(app, { userId }, '1')).toBeNull();
  });

  it('reserves, settles, and has capacity again', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const held = (await hold(app, { userId }, '0.600000000001')) as Hold;
    expect(held).toMatchObject({ isHard: true, remaining: 399_999_999_999n });
    expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '0.600000000001' }]);
    const error = await refusalOf(hold(app, { userId }, '0.4'));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error.details).toMatchObject({ scope: 'user', limit: '1', spent: '0', reserved: '0.600000000001' });
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
    expect(await hold(app, { userId }, '0.399999999999').then((one) => settle(app, one as Hold, '0'))).toBeUndefined();
    await settle(app, held, '0.1');
    await settle(app, held, '0.1');
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.1', reserved: '0' }]);
    await settle(app, (await hold(app, { userId }, '0.9')) as Hold, '0.9');
    expect(await windowsOf(app, id)).toEqual([{ spent: '1', reserved: '0' }]);
  });

  it('admits free requests even if nothing is left, and settles more than was reserved', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '0', window: 'total' });
    const error = await refusalOf(hold(app, { userId }, '0.000000000001'));
    expect(error.details).toMatchObject({ scope: 'service', limit: '0', resets_at: null });
    expect(error.retryAfterSeconds).toBeUndefined();
    await settle(app, (await hold(app, { userId }, '0')) as Hold, '3.5');
    expect(await windowsOf(app, id)).toEqual([{ spent: '3.5', reserved: '0' }]);
  });

  it('charges a request with an unknown end at least its prompt', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '10' });
    await settle(app, (await hold(app, { userId }, '1')) as Hold, '0', true);
    await settle(app, (await hold(app, { userId }, '1')) as Hold, '0.7', true);
    await settle(app, (await hold(app, { userId }, '1')) as Hold, null, false);
    expect(await windowsOf(app, id)).toEqual([{ spent: '1.2', reserved: '0' }]);
  });

  it('keeps amounts exact that are far larger than doubles and BIGINT hold in pico-units', async () => {
    const limit = '999999999999.999999999999';
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit });
    const held = (await hold(app, { userId }, '999999999999.999999999998')) as Hold;
    await refusalOf(hold(app, { userId }, '0.000000000002'));
    const small = (await hold(app, { userId }, '0.000000000001')) as Hold;
    await settle(app, small, '0');
    await settle(app, held, '999999999999.999999999998');
    expect(await windowsOf(app, id)).toEqual([{ spent: '999999999999.999999999998', reserved: '0' }]);
    await settle(app, (await hold(app, { userId }, '0.000000000001')) as Hold, '0.000000000001');
    expect(await windowsOf(app, id)).toEqual([{ spent: limit, reserved: '0' }]);
  });

  it('reserves in all budgets that apply or in none, and never refuses because of a soft one', async () => {
    const soft = await makeBudget(admin, { scope: 'service', limit: '0.1', mode: 'soft' });
    const wide = await makeBudget(admin, { scope: 'agent', scope_id: 1, limit: '100' });
    const narrow = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const held = (await hold(app, { userId, agentId: 1 }, '0.8')) as Hold;
    expect(held.remaining).toBe(0n);
    expect((await refusalOf(hold(app, { userId, agentId: 1 }, '0.8'))).details).toMatchObject({ scope: 'user' });
    for (const { id } of [soft, wide, narrow]) {
      expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '0.8' }]);
    }
    await settle(app, held, '0.8');
    for (const { id } of [soft, wide, narrow]) {
      expect(await windowsOf(app, id)).toEqual([{ spent: '0.8', reserved: '0' }]);
    }
  });

  it('applies the limit per user, or shared by all of them', async () => {
    const other = (await createUser(app)).user.id;
    await makeBudget(admin, { scope: 'membership_type', scope_id: 'free', limit: '1', each_user: true });
    // Filled to its last digit, while the window of the other one is created.
    await makeBudget(admin, { scope: 'agent', scope_id: 1, limit: '0.7' });
    const first = (await hold(app, { userId, agentId: 1 }, '0.7')) as Hold;
    const held = [first, (await hold(app, { userId: other }, '0.7')) as Hold];
    await refusalOf(hold(app, { userId }, '0.7'));
    await makeBudget(admin, { scope: 'membership_type', scope_id: 'free', limit: '0.25' });
    held.push((await hold(app, { userId }, '0.2')) as Hold);
    expect((await refusalOf(hold(app, { userId: other }, '0.2'))).details).toMatchObject({ limit: '0.25' });
    await Promise.all(held.map((one) => settle(app, one, '0')));
  });

  it('resets with the month in its time zone, and charges the month in which a request started', async () => {
    app.freezeClock();
    const { id } = await makeBudget(admin, {
      scope: 'user',
      scope_id: userId,
      limit: '1',
      starts_at: '2026-01-01T00:00:00Z',
    });
    const until = BEFORE_MIDNIGHT - Date.now();
    app.advanceClock(until);
    const before = (await hold(app, { userId }, '1')) as Hold;
    const error = await refusalOf(hold(app, { userId }, '1'));
    expect(error.details).toMatchObject({ resets_at: '2027-02-28T11:00:00.000Z' });
    expect(error.retryAfterSeconds).toBeLessThan(1);
    app.advanceClock(10_000);
    const after = (await hold(app, { userId }, '1')) as Hold;
    await settle(app, before, '0.4');
    await settle(app, after, '0.6');
    const spent = (await windowsOf(app, id)).slice(-2);
    expect(spent).toEqual([
      { spent: '0.4', reserved: '0' },
      { spent: '0.6', reserved: '0' },
    ]);
  });

  it('counts from its start on, and not before', async () => {
    await makeBudget(admin, {
      scope: 'user',
      scope_id: userId,
      limit: '0',
      starts_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(await hold(app, { userId }, '1')).toBeNull();
    app.advanceClock(3_700_000);
    await refusalOf(hold(app, { userId }, '1'));
  });

  it('starts again after a reset, including current holds', async () => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    await settle(app, (await hold(app, { userId }, '0.5')) as Hold, '0.5');
    const held = (await hold(app, { userId }, '0.5')) as Hold;
    await admin.post(`/admin/budgets/${id}/reset`);
    expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '0.5' }]);
    await settle(app, held, '0.25');
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.25', reserved: '0' }]);
  });

  it('is deleted together with its holds', async () => {
    const kept = await makeBudget(admin, { scope: 'service', limit: '10' });
    const gone = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const held = (await hold(app, { userId }, '0.9')) as Hold;
    await admin.delete(`/admin/budgets/${gone.id}`);
    expect(await windowsOf(app, gone.id)).toEqual([]);
    expect(await allHolds(app)).toHaveLength(1);
    await settle(app, held, '0.9');
    expect(await windowsOf(app, kept.id)).toEqual([{ spent: '0.9', reserved: '0' }]);
    await settle(app, (await hold(app, { userId }, '5')) as Hold, '0');
  });

  it('settles what an earlier version has reserved with one row for each window', async () => {
    const whole = await makeBudget(admin, { scope: 'service', limit: '10' });
    const own = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1' });
    const { messageId, name } = (await hold(app, { userId }, '0.9')) as Hold;
    await app.app.get(Database).write(async (manager) => {
      const [row] = (await findRows(manager, BudgetHoldEntity, { messageId, name })) as [BudgetHoldEntity];
      await updateRows(manager, BudgetHoldEntity, { otherWindowIds: null }, { messageId, name });
      const [windowId] = row.otherWindowIds as [number];
      await insertRow(manager, BudgetHoldEntity, { ...row, windowId, otherWindowIds: null });
    });
    await settle(app, { messageId, name }, '0.5');
    for (const { id } of [whole, own]) {
      expect(await windowsOf(app, id)).toEqual([{ spent: '0.5', reserved: '0' }]);
    }
  });

  it.each(['month', 'total'])('applies another limit immediately (%s)', async (window) => {
    const { id } = await makeBudget(admin, { scope: 'user', scope_id: userId, limit: '1', window });
    await refusalOf(hold(app, { userId }, '2'));
    await admin.put(`/admin/budgets/${id}`, { limit: '2' });
    await settle(app, (await hold(app, { userId }, '2')) as Hold, '2');
    await admin.put(`/admin/budgets/${id}`, { mode: 'soft' });
    await settle(app, (await hold(app, { userId }, '2')) as Hold, '2');
    expect(await windowsOf(app, id)).toEqual([{ spent: '4', reserved: '0' }]);
  });

  describe('concurrently', () => {
    let instances: Pick<TestApp, 'app'>[];
    let others: Awaited<ReturnType<typeof startInstance>>[] = [];

    beforeAll(async () => {
      others = app.app.get(Database).isShared
        ? await Promise.all([1, 2].map(() => startInstance(app.environment)))
        : [];
      instances = [app, ...others];
    });

    afterAll(() => Promise.all(others.map(({ app: other }) => other.close())));

    it('admits as many as the smallest budget allows, in whatever order budgets are found', async () => {
      const agentId = 1;
      const limits = ['1000', '13.7', '1000', '1000'];
      const scopes = [{ scope: 'service' }, { scope: 'agent', scope_id: agentId }, { scope: 'user', scope_id: userId }];
      const budgets: BudgetDto[] = [];
      for (const [index, scope] of [...scopes, { scope: 'service' }].entries()) {
        budgets.push(await makeBudget(admin, { ...scope, limit: limits[index] as string }));
      }
      const results = await Promise.allSettled(
        Array.from({ length: 200 }, (_one, index) =>
          hold(instances[index % instances.length] as TestApp, { userId, agentId }, '0.1'),
        ),
      );
      const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value as Hold] : []));
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
      expect(refused.filter((error) => !(error instanceof BudgetExceededError))).toEqual([]);
      expect(held).toHaveLength(137);
      for (const { id } of budgets) {
        expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '13.7' }]);
      }
      await Promise.all(held.map((one, index) => settle(instances[index % instances.length] as TestApp, one, '0.1')));
      for (const { id } of budgets) {
        expect(await windowsOf(app, id)).toEqual([{ spent: '13.7', reserved: '0' }]);
      }
    });
  });
});
