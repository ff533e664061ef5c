// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { fromStored } from '../../src/modules/budget/windows/window-amounts';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { AbandonedHolds } from '../../src/modules/generation/cluster/crash-recovery';
import { SideRequestEntity } from '../../src/modules/usage/costs/side-request.entity';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { allHolds, makeBudget, windowsOf } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { costOf, sumOf } from '../support/invoice-comparison';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';

/** An owner unknown to the service. */
const DEAD = { ownerId: 'an instance that is gone' };

describe('a request that a provider accepted and that was abandoned for another one', () => {
  const app = useOwnChatApp({ BUDGET_ASSUMED_OUTPUT: '100' });
  const admin = useAdmin(app);
  const user = useClient(app);
  let budget: BudgetDto;

  beforeAll(async () => {
    app.app.get(ResilienceSettings).retryDelays = [1, 1];
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
  });

  beforeEach(async () => {
    budget = await makeBudget(admin, { scope: 'service', limit: '1' });
  });

  afterEach(async () => {
    await admin.delete(`/admin/budgets/${budget.id}`);
    expect(await allHolds(app)).toEqual([]);
    await app.model.reset();
  });

  /** The first request is abandoned, the second waits for the test. */
  async function scripted(): Promise<string> {
    const key = uniqueContent();
    await app.model.script({ key, times: 1, bare: true, unfinished: true, steps: [{ cut: true }] });
    await app.model.script({ key, times: 1, steps: [{ hold: key }, { text: 'Hello' }] });
    return key;
  }

  /** Without the row of a failed request, which cost nothing. */
  async function ledgerOf(userId: number): Promise<UsageCostEntity[]> {
    const rows = await findRows(app.app.get(Database).manager, UsageCostEntity, { userId }, { order: { id: 'ASC' } });
    return rows.filter(({ requests }) => requests > 0);
  }

  const held = async (): Promise<bigint> =>
    (await allHolds(app)).reduce((sum, row) => sum + fromStored(row.units, row.picos), 0n);

  const userId = async (): Promise<number> => (await user.request<{ id: number }>('/users/me')).body.id;

  it('is in the ledger and spent before the other one is sent, and both are after a crash', async () => {
    const key = await scripted();
    const chat = await user.createChat({ title: 'Given' });
    const sent = user.send(chat.id, key);
    await app.model.waitFor('received', { key, count: 2 });
    const [left] = await ledgerOf(await userId());
    expect(left).toMatchObject({ kind: 'reply', attempt: 1, isEstimated: true, isCounted: false });
    const cost = costOf(left as UsageCostEntity);
    expect(cost).toBeGreaterThan(0n);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sumOf([cost]), reserved: sumOf([await held()]) }]);
    // Its instance has no lease any more.
    await app.app
      .get(Database)
      .write((manager) => updateRows(manager, MessageEntity, DEAD, { chatId: chat.id, status: 'streaming' }));
    const reply = await user.waitForEnd(chat.id);
    expect(reply.status).toBe('interrupted');
    const ledger = await ledgerOf(await userId());
    expect(ledger).toMatchObject([{ attempt: 1 }, { attempt: 2, isEstimated: true }]);
    const sum = sumOf(ledger.map(costOf));
    expect(reply.token_usage?.cost).toBe(sum);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sum, reserved: '0' }]);
    await app.model.release(key);
    await sent;
    expect(await ledgerOf(await userId())).toHaveLength(2);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sum, reserved: '0' }]);
  });

  it('is reported with the reply from the other one', async () => {
    const key = await scripted();
    await app.model.release(key);
    const chat = await user.createChat({ title: 'Given' });
    const { body } = await user.send(chat.id, key);
    const ledger = await ledgerOf(await userId());
    expect(ledger).toMatchObject([
      { attempt: 1, isCounted: false },
      { attempt: 2, isCounted: true },
    ]);
    const sum = sumOf(ledger.map(costOf));
    expect(body[1].token_usage?.cost).toBe(sum);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sum, reserved: '0' }]);
  });

  it('is the last one if a budget does not cover both', async () => {
    const first = await user.createChat({ title: 'Given' });
    const key = await scripted();
    const sent = user.send(first.id, key);
    await app.model.waitFor('received', { key, count: 2 });
    const [before] = (await ledgerOf(await userId())).slice(-1);
    // No two texts have as many tokens.
    const limit = sumOf([(await held()) + costOf(before as UsageCostEntity) / 2n]);
    await app.model.release(key);
    await sent;
    await admin.delete(`/admin/budgets/${budget.id}`);
    const wide = await makeBudget(admin, { scope: 'service', limit: '1000' });
    budget = await makeBudget(admin, { scope: 'service', limit });
    const again = await scripted();
    const chat = await user.createChat({ title: 'Given' });
    expect((await user.send(chat.id, again)).status).toBe(502);
    expect(await app.model.requests(again)).toHaveLength(1);
    const left = (await ledgerOf(await userId())).at(-1) as UsageCostEntity;
    expect(left).toMatchObject({ attempt: 1, isEstimated: true, isCounted: false });
    for (const { id } of [budget, wide]) {
      expect(await windowsOf(app, id)).toEqual([{ spent: sumOf([costOf(left)]), reserved: '0' }]);
    }
    await admin.delete(`/admin/budgets/${wide.id}`);
  });

  it('is in the ledger after a crash of a trial too', async () => {
    const key = await scripted();
    const { body } = await admin.post<{ id: number }>('/agents', { name: key.slice(-30), system_prompt: 'x' });
    const tried = admin.post(`/agents/${body.data.id}/test`, { content: key });
    await app.model.waitFor('received', { key, count: 2 });
    const database = app.app.get(Database);
    expect(await ledgerOf(admin.id)).toMatchObject([{ kind: 'trial', attempt: 1 }]);
    await database.write((manager) => updateRows(manager, SideRequestEntity, DEAD, { userId: admin.id }));
    await app.app.get(AbandonedHolds).settle();
    const ledger = await ledgerOf(admin.id);
    expect(ledger).toMatchObject([{ attempt: 1 }, { kind: 'trial', attempt: 2, isEstimated: true }]);
    expect(await windowsOf(app, budget.id)).toEqual([{ spent: sumOf(ledger.map(costOf)), reserved: '0' }]);
    await app.model.release(key);
    await tried;
    expect(await ledgerOf(admin.id)).toHaveLength(2);
  });
});
