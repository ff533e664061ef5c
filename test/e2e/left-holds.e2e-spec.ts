// @databases mariadb: two instances share one database
import { HOUR_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { SharedClock } from '../../src/database/shared-clock';
import { insertRow } from '../../src/database/statements/insert';
import { BudgetHoldEntity } from '../../src/modules/budget/admission/budget-hold.entity';
import { BudgetSettlement } from '../../src/modules/budget/budget.api';
import { BudgetWindowEntity } from '../../src/modules/budget/windows/budget-window.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { AbandonedHolds } from '../../src/modules/generation/cluster/crash-recovery';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { SideRequestEntity } from '../../src/modules/usage/costs/side-request.entity';
import { allHolds, hold, makeBudget, windowsOf } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useAdmin, useOwnChatApp } from '../support/use-app';

/** The prompt of a title request. */
const TITLES = 'Assistant: ';

describe('an instance whose clock is hours ahead of the shared one', () => {
  const app = useOwnChatApp({ TITLE_MODEL: 'titles', BUDGET_ASSUMED_OUTPUT: '100' });
  const admin = useAdmin(app);

  beforeEach(() => {
    jest.spyOn(app.app.get(SharedClock), 'now').mockImplementation(() => new Date());
    app.advanceClock(2 * HOUR_MILLISECONDS);
  });

  afterEach(() => {
    jest.restoreAllMocks();
    app.resetClock();
  });

  const asked = () => app.app.get(Database).repository(SideRequestEntity).find();
  const isNow = (time?: Date) => Math.abs((time?.getTime() ?? 0) - Date.now()) < HOUR_MILLISECONDS / 2;

  it('does not touch live holds and requests of others, nor its own even if its lease renewal is late', async () => {
    const ownerId = 'another instance';
    const at = new Date();
    const amounts = { units: 0n, picos: 1n, leastUnits: 0n, leastPicos: 1n };
    const held = { messageId: 0, name: 'trial:other', windowId: 1, otherWindowIds: [], ...amounts };
    const side = { kind: 'trial', userId: 0, apiKeyId: null, chatId: 0, agentId: 0, messageId: null } as const;
    await app.app.get(Database).write(async (manager) => {
      await manager.insert(ReplyOwnerEntity, { id: ownerId, seenAt: at });
      await manager.insert(BudgetHoldEntity, { ...held, ownerId, createdAt: at });
      const request = { provider: 'default', model: 'titles', promptTokens: 1, failedBefore: 0, holdName: held.name };
      await manager.insert(SideRequestEntity, { ...side, ...request, ownerId, askedAt: at });
    });
    await app.app.get(AbandonedHolds).settle();
    expect([(await allHolds(app)).length, (await asked()).length]).toEqual([1, 1]);
    const { ownerId: own } = app.app.get(ReplyRegistry);
    const give = (from: string, to: string) =>
      app.app.get(Database).write(async (manager) => {
        await manager.update(BudgetHoldEntity, { ownerId: from }, { ownerId: to });
        await manager.update(SideRequestEntity, { ownerId: from }, { ownerId: to });
        await manager.update(ReplyOwnerEntity, { id: own }, { seenAt: new Date(0) });
      });
    await give(ownerId, own);
    await app.app.get(AbandonedHolds).settle();
    expect([(await allHolds(app)).length, (await asked()).length]).toEqual([1, 1]);
    await give(own, ownerId);
    // No request takes this long.
    const long = new Date(Date.now() - HOUR_MILLISECONDS);
    await app.app.get(Database).write((manager) => manager.update(BudgetHoldEntity, { ownerId }, { createdAt: long }));
    await app.app.get(AbandonedHolds).settle();
    expect([(await allHolds(app)).length, (await asked()).length]).toEqual([0, 1]);
    await app.app.get(Database).write((manager) => manager.update(SideRequestEntity, { ownerId }, { askedAt: long }));
    await app.app.get(AbandonedHolds).settle();
    expect(await asked()).toEqual([]);
  });

  it('spends the prompt that a dead instance had sent, and reports the threshold that this passes', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1000' });
    await hold(app, {}, '1000');
    const database = app.app.get(Database);
    const row = { chatId: 0, position: 0, role: 'assistant', content: '', tokenCount: 0, isCurrent: true } as const;
    const at = new Date();
    const messageId = await database.write((manager) =>
      insertRow(manager, MessageEntity, { ...row, status: 'streaming', createdAt: at, updatedAt: at }),
    );
    await database.write((manager) =>
      manager.update(BudgetHoldEntity, { messageId: 0 }, { messageId, ownerId: 'dead' }),
    );
    await app.app.get(AbandonedHolds).settle();
    // The process that ends the reply settles it.
    expect(await windowsOf(app, id)).toEqual([{ spent: '0', reserved: '1000' }]);
    await database.write((manager) => manager.update(MessageEntity, messageId, { status: 'interrupted' }));
    await app.app.get(AbandonedHolds).settle();
    expect(await windowsOf(app, id)).toEqual([{ spent: '500', reserved: '0' }]);
    expect(await database.repository(BudgetWindowEntity).findBy({ budgetId: id })).toMatchObject([
      { reportedPercent: 50 },
    ]);
    await admin.delete(`/admin/budgets/${id}`);
  });

  it('spends the requests of dead instances even if one hold can never be settled', async () => {
    const { id } = await makeBudget(admin, { scope: 'service', limit: '1000' });
    await hold(app, {}, '100', { messageId: 0, name: 'trial:a' });
    await hold(app, {}, '100', { messageId: 0, name: 'trial:b' });
    const settlement = app.app.get(BudgetSettlement);
    const settle = settlement.settle.bind(settlement);
    const settling = jest
      .spyOn(settlement, 'settle')
      .mockImplementation((manager, key, cost) =>
        key.name === 'trial:a' ? Promise.reject(new Error('It never works.')) : settle(manager, key, cost),
      );
    await app.app
      .get(Database)
      .write((manager) => manager.update(BudgetHoldEntity, { messageId: 0 }, { ownerId: 'dead' }));
    await app.app.get(AbandonedHolds).settle();
    expect(await windowsOf(app, id)).toEqual([{ spent: '50', reserved: '100' }]);
    settling.mockRestore();
    await app.app.get(AbandonedHolds).settle();
    expect(await windowsOf(app, id)).toEqual([{ spent: '100', reserved: '0' }]);
    await admin.delete(`/admin/budgets/${id}`);
  });

  it('writes the start of its holds and requests by the shared clock', async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    await admin.post('/admin/prices', { model: 'titles', input: '10', output: '20' });
    await makeBudget(admin, { scope: 'service', limit: '1000' });
    await app.model.script({ key: TITLES, steps: [{ hold: TITLES }, { text: 'A fine title' }] });
    const client = await app.newClient();
    const chat = await client.createChat();
    expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
    const [side] = await eventually(async () => {
      const rows = await asked();
      return rows.length > 0 ? rows : undefined;
    });
    const holds = await allHolds(app);
    expect([isNow(side?.askedAt), holds.map(({ createdAt }) => isNow(createdAt))]).toEqual([true, [true]]);
    await app.model.release(TITLES);
    await eventually(async () => (await asked()).length === 0);
  });
});
