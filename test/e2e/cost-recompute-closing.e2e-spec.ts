import { Database } from '../../src/database/database';
import { CostLedger, toPricedUsage } from '../../src/modules/usage/costs/cost-ledger';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('costs that are reckoned anew', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  /** A request of yesterday, which is over and not closed yet. */
  async function spend(model: string, at: Date): Promise<void> {
    const ledger = app.app.get(CostLedger);
    const usage = toPricedUsage({ prompt: 100, completion: 10, total: 110, cached: 0, reasoning: 0 }, 0);
    const request = { kind: 'reply', round: 1, attempt: 1, provider: 'elsewhere', model, modelAnswered: null } as const;
    const costs = await ledger.price([
      { ...request, usage, isEstimated: false, isCounted: true, isFailed: false, askedAt: at },
    ]);
    const owner = { userId: admin.id, apiKeyId: null, chatId: 0, agentId: 0, messageId: null };
    await app.app.get(Database).write((manager) => ledger.record(manager, costs, owner, at));
    await app.app.get(UsageFolding).foldAll();
  }

  it('are in all sums, also when their day is closed at that moment', async () => {
    const [model, at] = ['late', new Date(Date.now() - 2 * 86_400_000)];
    await spend(model, at);
    await admin.post('/admin/prices', { model, input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const database = app.app.get(Database);
    const write = database.write.bind(database);
    let writes = 0;
    const closing = jest.spyOn(database, 'write').mockImplementation(async (work) => {
      writes++;
      // The first one is the entry in the log, the second one the change.
      if (writes === 2) {
        closing.mockRestore();
        expect(await app.app.get(DayClosingService).closeNextDay()).toBe(true);
      }
      return write(work);
    });
    const day = at.toISOString().slice(0, 10);
    const period = { from: day, to: day };
    const done = await admin.post('/admin/prices/recompute', { ...period, reason: 'The list came late.' });
    expect(done.body.data).toMatchObject({ rows: 1, before: null, after: '0.00011' });
    const query = new URLSearchParams(period).toString();
    for (const grouping of ['day', 'user', 'agent', 'model', 'provider']) {
      const rows = await admin.items(`/admin/stats/usage?${query}&group_by=${grouping}`);
      expect([grouping, rows]).toMatchObject([grouping, [{ cost: '0.00011', unpriced: 0, requests: 1 }]]);
    }
  });
});
