// @databases mariadb mysql: two instances, one of which does not know a budget yet
import { formatAmount } from '../../src/common/money/amount';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { costOfRow } from '../../src/modules/usage/costs/cost-ledger';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { startInstance } from '../support/test-app';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const BUDGETS = 10;
const SENDERS = 4;

describe('a budget that starts in the past and is created while replies finish', () => {
  const app = useOwnChatApp({ CONCURRENT_NORMAL: '10' });
  const admin = useAdmin(app);
  let second: Awaited<ReturnType<typeof startInstance>> | undefined;

  beforeAll(async () => {
    // SQLite allows one instance.
    second = app.app.get(Database).isShared ? await startInstance(app.environment) : undefined;
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    await app.model.setDefault({ steps: [{ text: 'Hello' }], usage });
  });

  afterAll(() => second?.app.close());

  it('has spent the amount in the ledger after 15 seconds, on each instance', async () => {
    const client = await app.newClient();
    const urls = Array.from({ length: SENDERS }, (_sender, index) => (index % 2 ? second?.url : app.url) ?? app.url);
    let isOver = false;
    const sending = urls.map(async (url) => {
      const sender = new ChatClient(url, client.token);
      const { id } = await sender.createChat({ title: 'Given' });
      while (!isOver) {
        expect((await sender.send(id, 'Once more.')).status).toBe(200);
      }
    });
    const starts_at = new Date(Date.now() - 60_000).toISOString();
    const past = { scope: 'service', limit: '1', window: 'total', mode: 'soft', starts_at };
    for (let made = 0; made < BUDGETS; made++) {
      await makeBudget(admin, past);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    isOver = true;
    await Promise.all(sending);
    app.advanceClock(15_000);
    second?.advanceClock(15_000);
    const rows = await findRows(app.app.get(Database).manager, UsageCostEntity, {});
    const ledger = formatAmount(rows.reduce((sum, row) => sum + (costOfRow(row) ?? 0n), 0n));
    const there = second ? new AdminClient(second, admin.account) : admin;
    for (const one of [admin, there]) {
      const spent = () =>
        one.items<BudgetDto>('/admin/budgets?size=100').then((budgets) => budgets.map((budget) => budget.spent));
      await eventually(async () => (await spent()).every((sum) => sum === ledger), 10).catch(() => undefined);
      expect(await spent()).toEqual(Array.from({ length: BUDGETS }, () => ledger));
    }
  });
});
