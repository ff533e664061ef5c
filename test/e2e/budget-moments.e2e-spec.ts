// @databases mariadb: dates and times
import { MoreThanOrEqual } from 'typeorm';
import { formatAmount } from '../../src/common/money/amount';
import { Database } from '../../src/database/database';
import { deleteRows } from '../../src/database/statements/delete';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { BudgetWindowEntity } from '../../src/modules/budget/windows/budget-window.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { costOfRow } from '../../src/modules/usage/costs/cost-ledger';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { AdminClient } from '../support/admin-client';
import { allHolds, makeBudget, money, windowsOf } from '../support/budgets';
import { type ChatApp, startChatApp } from '../support/chat-app';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const COST = '0.00014';
const PRICE = { model: 'scripted', input: '1', output: '2' };

/** Sends a message, and runs an action during its reply. @returns the cost of the reply */
async function during(app: ChatApp, client: ChatClient, work: () => Promise<unknown>): Promise<string | undefined> {
  const content = uniqueContent();
  await app.model.script({
    key: content,
    steps: [{ text: 'Hel' }, { hold: content }, { text: 'lo' }],
    usage: USAGE,
    times: 1,
  });
  const chat = await client.createChat({ title: 'Given' });
  const stream = await client.stream(chat.id, content);
  await stream.until('Hel');
  await work();
  await app.model.release(content);
  return /"cost":"([\d.]+)"/.exec(await stream.rest())?.[1];
}

describe('changes during a reply', () => {
  const app = useOwnChatApp({ CONCURRENT_NORMAL: '1' });
  const admin = useAdmin(app);
  const user = useClient(app);

  beforeAll(() => admin.post('/admin/prices', PRICE));

  /** The ledger entries from that time. */
  async function spentSince(time: string): Promise<string> {
    const rows = await findRows(app.app.get(Database).manager, UsageCostEntity, {
      createdAt: MoreThanOrEqual(new Date(time)),
    });
    return formatAmount(rows.reduce((sum, row) => sum + (costOfRow(row) ?? 0n), 0n));
  }

  afterEach(async () => {
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
    expect(await allHolds(app)).toEqual([]);
  });

  it('do not affect its price: the price at its start counts', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1' });
    const dearer = { ...PRICE, input: '10', output: '20' };
    expect(await during(app, user, () => admin.post('/admin/prices', dearer))).toBe(COST);
    expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
    expect(await during(app, user, () => Promise.resolve())).toBe('0.0014');
    expect(await windowsOf(app, id)).toEqual([{ spent: '0.00154', reserved: '0' }]);
    await admin.post('/admin/prices', PRICE);
  });

  it('affect its budgets: a deleted one is not charged, nor is its replacement, and the others are', async () => {
    const [gone, kept] = [
      await makeBudget(admin, { scope: 'service', limit: '1' }),
      await makeBudget(admin, { scope: 'service', limit: '2' }),
    ];
    let made: BudgetDto | undefined;
    const cost = await during(app, user, async () => {
      expect(await allHolds(app)).toHaveLength(1);
      await admin.delete(`/admin/budgets/${gone.id}`);
      expect(await allHolds(app)).toHaveLength(1);
      made = await makeBudget(admin, { scope: 'service', limit: '1' });
    });
    expect(cost).toBe(COST);
    expect(await windowsOf(app, kept.id)).toEqual([{ spent: COST, reserved: '0' }]);
    expect(await windowsOf(app, gone.id)).toEqual([]);
    expect(await windowsOf(app, made?.id ?? 0)).toEqual([{ spent: '0', reserved: '0' }]);
    expect(await during(app, user, () => Promise.resolve())).toBe(COST);
    expect(await windowsOf(app, made?.id ?? 0)).toEqual([{ spent: COST, reserved: '0' }]);
  });

  it('report a reply over the concurrency limit before a budget refuses it, in each dialect', async () => {
    await during(app, user, async () => {
      await makeBudget(admin, { scope: 'service', limit: '0' });
      const chat = await user.createChat();
      const sent = await user.send(chat.id, 'Hello');
      expect(sent.body).toMatchObject({ error: { code: 'TOO_MANY_CONCURRENT' } });
      const body = { model: 'General assistant', messages: [{ role: 'user', content: 'Hello' }] };
      const asked = await call(`${app.origin}/openai/v1/chat/completions`, { token: user.token, body });
      expect(asked.body).toMatchObject({ error: { code: 'TOO_MANY_CONCURRENT' } });
    });
    const chat = await user.createChat();
    expect((await user.send(chat.id, 'Hello')).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  });

  it('affect its budgets: one created during the reply that starts in the past is charged, together with those that hold', async () => {
    const starts_at = new Date(Date.now() - 60_000).toISOString();
    const past = { scope: 'service', limit: '1', window: 'total', starts_at };
    const held = await makeBudget(admin, { scope: 'service', limit: '2' });
    let pool: BudgetDto | undefined;
    let alone: BudgetDto | undefined;
    await during(app, user, async () => {
      pool = await makeBudget(admin, { ...past, thresholds: [] });
      alone = await makeBudget(admin, { ...past, scope: 'membership_type', scope_id: 'free', each_user: true });
    });
    const before = money((await windowsOf(app, pool?.id ?? 0))[0]?.spent ?? '0');
    expect(await windowsOf(app, held.id)).toEqual([{ spent: COST, reserved: '0' }]);
    // Its window is created with the next request, and includes the ledger up to then.
    expect(await windowsOf(app, alone?.id ?? 0)).toEqual([]);
    await during(app, user, () => Promise.resolve());
    const [after, own] = [await windowsOf(app, pool?.id ?? 0), await windowsOf(app, alone?.id ?? 0)];
    expect(money(after[0]?.spent ?? '0') - before).toBe(money(COST));
    expect(after).toEqual([{ spent: await spentSince(starts_at), reserved: '0' }]);
    // The other one and this one.
    expect(own).toEqual([{ spent: '0.00028', reserved: '0' }]);
  });

  it('affect its budgets: one created before the start, and still unknown, is charged', async () => {
    const { id: scope_id } = (await user.request<{ id: number }>('/users/me')).body;
    const held = await makeBudget(admin, { scope: 'user', scope_id, limit: '2' });
    let unknown: BudgetDto | undefined;
    const cost = await during(app, user, async () => {
      app.advanceClock(-1_000);
      unknown = await makeBudget(admin, { scope: 'user', scope_id, limit: COST });
      app.resetClock();
    });
    expect(cost).toBe(COST);
    for (const { id } of [held, unknown as unknown as BudgetDto]) {
      expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
    }
    const told = await findRows(app.app.get(Database).manager, BudgetWindowEntity, { budgetId: unknown?.id ?? 0 });
    expect(told).toMatchObject([{ reportedPercent: 100 }]);
  });

  it('do not include budgets of groups that its user joins, even if another one is created during the reply', async () => {
    const { id: user_id } = (await user.request<{ id: number }>('/users/me')).body;
    const group = await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('Late').slice(0, 40) });
    app.advanceClock(-60_000);
    const old = await makeBudget(admin, { scope: 'group', scope_id: group.body.data.id, limit: '1' });
    app.resetClock();
    await during(app, user, async () => {
      await makeBudget(admin, { scope: 'service', limit: '1' });
      await admin.post(`/admin/groups/${group.body.data.id}/members`, { user_id });
    });
    expect(await windowsOf(app, old.id)).toEqual([{ spent: '0', reserved: '0' }]);
  });

  it('affect its message row: the hold is settled even if the row was erased', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1' });
    await during(app, user, () =>
      app.app.get(Database).write((manager) => deleteRows(manager, MessageEntity, { status: 'streaming' })),
    );
    await eventually(async () => (await allHolds(app)).length === 0);
    expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
  });

  it('affect the spent amount: after a reset only later ends count, even when it is recalculated', async () => {
    const valid_from = new Date().toISOString();
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1' });
    expect(await during(app, user, () => Promise.resolve())).toBe(COST);
    expect(await during(app, user, () => admin.post(`/admin/budgets/${id}/reset`))).toBe(COST);
    expect(await windowsOf(app, id)).toEqual([{ spent: COST, reserved: '0' }]);
    await admin.post('/admin/prices', { ...PRICE, input: '10', output: '20', valid_from });
    const now = new Date().toISOString();
    await admin.post('/admin/prices/recompute', { from: valid_from, to: now, reason: 'It was ten times as much.' });
    const spent = [{ spent: '0.0014', reserved: '0' }];
    expect(await windowsOf(app, id)).toEqual(spent);
    const over = { endsAt: new Date(Date.now() - 1) };
    await app.app.get(Database).write((manager) => updateRows(manager, BudgetWindowEntity, over, { budgetId: id }));
    await admin.post(`/admin/budgets/${id}/reset`);
    expect(await windowsOf(app, id)).toEqual(spent);
    await admin.post('/admin/prices', PRICE);
  });

  it('affect all its budgets: if they are deleted, nothing is charged, and nothing is held', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1' });
    expect(await during(app, user, () => admin.delete(`/admin/budgets/${id}`))).toBe(COST);
    expect(await allHolds(app)).toEqual([]);
  });
});

describe.each([
  // Far before and after UTC, without summer time.
  ['Pacific/Kiritimati', 14],
  ['America/Phoenix', -7],
])('the end of a month in %s', (timeZone, hours) => {
  let app: ChatApp;

  beforeAll(async () => {
    app = await startChatApp({ TIME_ZONE: timeZone });
  });

  afterAll(() => app.close());

  it('is midnight there: a reply belongs to the month in which it was admitted', async () => {
    const { year, month } = localMonth(hours);
    const midnight = Date.UTC(year, month + 1, 1) - hours * 3_600_000;
    app.freezeClock();
    app.advanceClock(midnight - 1_000 - Date.now());
    const admin = await AdminClient.of(app);
    const client = await app.newClient();
    await admin.post('/admin/prices', { ...PRICE, valid_from: '2026-01-01T00:00:00Z' });
    const budget = await makeBudget(admin, { scope: 'service', limit: '0.5', window: 'month' });
    expect(budget.resets_at).toBe(new Date(midnight).toISOString());
    await during(app, client, () => Promise.resolve(app.advanceClock(2_000)));
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: COST, reserved: '0' }]);
    const { spent, resets_at } = (await admin.get<BudgetDto>(`/admin/budgets/${budget.id}`)).body.data;
    expect(spent).toBe('0');
    expect(Date.parse(resets_at ?? '')).toBe(Date.UTC(year, month + 2, 1) - hours * 3_600_000);
    await during(app, client, () => Promise.resolve());
    expect(await windowsOf(app, budget.id)).toEqual([
      { spent: COST, reserved: '0' },
      { spent: COST, reserved: '0' },
    ]);
  });
});

/** The current month there. */
function localMonth(hours: number): { year: number; month: number } {
  const there = new Date(Date.now() + hours * 3_600_000);
  return { year: there.getUTCFullYear(), month: there.getUTCMonth() };
}
