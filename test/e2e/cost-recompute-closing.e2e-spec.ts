import { Database } from '../../src/database/database';
import { LanguageModels } from '../../src/integrations/llm/language-models';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createUser } from '../support/accounts';
import { expectFailure } from '../support/http';
import { recordRequest } from '../support/ledger-rows';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('recalculated costs', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  it('are in all sums, even if their day is closed at that moment', async () => {
    const [model, at] = ['late', new Date(Date.now() - 2 * 86_400_000)];
    // Requests from a day that is over and not closed yet.
    const modelAnswered = `${model}-by-its-own-name`;
    await recordRequest(app, { userId: admin.id, model, modelAnswered, apiKeyId: 1, askedAt: at, times: 2 });
    await app.app.get(UsageFolding).foldAll();
    await admin.post('/admin/prices', { model, input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const database = app.app.get(Database);
    const write = database.write.bind(database);
    let writes = 0;
    const closing = jest.spyOn(database, 'write').mockImplementation(async (work) => {
      writes++;
      // The first one is the log entry, the second one the change.
      if (writes === 2) {
        closing.mockRestore();
        expect(await app.app.get(DayClosingService).closeNextDay()).toBe(true);
      }
      return write(work);
    });
    const day = at.toISOString().slice(0, 10);
    const period = { from: day, to: day };
    const query = new URLSearchParams(period).toString();
    // A missing price does not mean free, even if no tokens are counted.
    const unpriced = { cost: null, unpriced: 2, tokens: 0 };
    expect(await admin.items(`/admin/stats/usage?${query}`)).toMatchObject([unpriced]);
    const done = await admin.post('/admin/prices/recompute', { ...period, reason: 'The list came late.' });
    expect(done.body.data).toMatchObject({ rows: 2, before: null, after: '0.00022' });
    for (const grouping of ['day', 'user', 'agent', 'model', 'provider', 'api_key']) {
      const rows = await admin.items(`/admin/stats/usage?${query}&group_by=${grouping}`);
      expect([grouping, rows]).toMatchObject([grouping, [{ cost: '0.00022', unpriced: 0, requests: 2 }]]);
    }
    const byModel = await admin.items(`/admin/stats/usage?${query}&group_by=model`);
    expect(byModel).toMatchObject([{ key: modelAnswered }]);
    const asked = await admin.items(`/admin/stats/usage?${query}&group_by=provider&model=${model}`);
    expect(asked).toMatchObject([{ cost: '0.00022' }]);
  });

  it('of erased accounts are in all sums except those by user', async () => {
    const { user } = await createUser(app);
    const askedAt = new Date(Date.now() - 60_000);
    await recordRequest(app, { userId: user.id, model: 'erased', askedAt });
    await app.app.get(UsageFolding).foldAll();
    await admin.delete(`/admin/users/${user.id}`);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(user.id);
    }
    await admin.post('/admin/prices', { model: 'erased', input: '1', output: '1', valid_from: '2026-01-01T00:00:00Z' });
    const period = { from: askedAt.toISOString(), to: new Date().toISOString(), reason: 'The list came late.' };
    expect((await admin.post('/admin/prices/recompute', period)).body.data).toMatchObject({ after: '0.00011' });
    const day = askedAt.toISOString().slice(0, 10);
    const rows = (grouping: string) =>
      admin.items(`/admin/stats/usage?from=${day}&to=${day}&group_by=${grouping}&model=erased`);
    for (const grouping of ['model', 'provider', 'group']) {
      expect([grouping, await rows(grouping)]).toMatchObject([grouping, [{ cost: '0.00011', unpriced: 0 }]]);
    }
    expect(await rows('user')).toMatchObject([{ key: user.id, cost: null, unpriced: 1 }]);
  });

  it('are those of the called provider, even if another one has its name by now', async () => {
    const at = new Date('2026-02-03T12:00:01.001Z');
    const price = { model: 'shared', input: '1', output: '1' };
    await admin.post('/admin/prices', { ...price, valid_from: '2026-01-01T00:00:00Z' });
    // Valid at the time of the write, and not yet at the start.
    await admin.post('/admin/prices', { ...price, input: '9', valid_from: '2026-02-03T12:00:01Z' });
    const askedAt = new Date('2026-02-03T12:00:00Z');
    const asked = { userId: admin.id, provider: 'default', model: 'shared', askedAt, at };
    await recordRequest(app, asked);
    // As after a start with other variables: the demo has answered the first one, a provider with the same name the
    // second one.
    const kindOf = jest.spyOn(app.app.get(LanguageModels), 'kindOf').mockReturnValue('openai-compatible');
    await recordRequest(app, asked);
    const instant = at.toISOString();
    const period = { from: instant, to: instant, reason: 'Looked through.' };
    const costs = { rows: 2, before: '0.00011', after: '0.00011' };
    expect((await admin.post('/admin/prices/recompute', period)).body.data).toMatchObject(costs);
    kindOf.mockRestore();
    // The same costs by another price, which the row has from now on.
    const newer = await admin.post<{ id: number }>('/admin/prices', { ...price, valid_from: '2026-02-01T00:00:00Z' });
    expect((await admin.post('/admin/prices/recompute', period)).body.data).toMatchObject(costs);
    expectFailure(await admin.delete(`/admin/prices/${newer.body.data.id}`), 409, 'PRICE_IN_USE');
  });
});
