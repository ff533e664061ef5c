// @databases mariadb: query plans
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { UNSUMMED } from '../../src/modules/usage/folding/unsummed-usage';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { explain } from '../support/servers/explain';
import { useOwnTestApp } from '../support/use-app';

const FIRST_ID = 1_500_000_000;
const MANY = 3_000;

describe('the rows missing in the sums', () => {
  const app = useOwnTestApp();

  it('are found by their index, even when the database knows that nearly all of the ledger is summed', async () => {
    const database = app.app.get(Database);
    const entry = { userId: 1, chatId: 1, agentId: 1, role: 'user' as const, day: 20_000, createdAt: new Date() };
    const counts = { promptTokens: 0, completionTokens: 0, tokens: 0, unsummed: null };
    const rows = Array.from({ length: MANY }, (_, index) => ({ ...entry, ...counts, messageId: FIRST_ID + index }));
    await database.write((manager) => insertBatch(manager, UsageEntryEntity, rows));
    await database.write((manager) => manager.query(database.isShared ? 'ANALYZE TABLE usage_entries' : 'ANALYZE'));
    const statements: string[] = [UNSUMMED];
    const logged = jest.spyOn(database.manager.dataSource.logger, 'logQuery');
    await app.app.get(UsageFolding).foldUser(1);
    statements.push(...logged.mock.calls.map(([sql]) => sql).filter((sql) => /^SELECT.*usage_entries/s.test(sql)));
    logged.mockRestore();
    expect(statements.length).toBeGreaterThan(1);
    for (const statement of statements) {
      const plan = await explain(app, statement.replace(/\?/g, '1'));
      expect(JSON.stringify(plan)).toContain('ix_usage_entries_unsummed');
      expect(JSON.stringify(plan)).not.toMatch(/SCAN usage_entries|"type":"(ALL|index)"[^}]*"rows":\d{4}/);
    }
  });
});
