import { formatDay } from '../../src/common/utc-day';
import { AgentStatsReportService } from '../../src/modules/agent/stats/agent-stats-report.service';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { UsageReportQuery } from '../../src/modules/usage/reports/usage-report.query';
import { buildDatabase } from '../support/releases/release-database';
import { RELEASES } from '../support/releases/releases';
import { createTestDatabase } from '../support/servers/test-database';
import { startTestApp } from '../support/test-app';
import { UsageRecords } from './usage-records';

const TOKENS = 10;

describe.each(RELEASES)('sums of usage in a database of release $name', (release) => {
  it('stay as they are, and go on', async () => {
    const database = await createTestDatabase();
    await buildDatabase(database.url, release);
    const app = await startTestApp({ DATABASE_URL: database.url });
    try {
      const { day, user_id, agent_id } = release.rows.usage_rollups?.[0] as Record<string, number>;
      const at = new Date((day ?? 0) * 86_400_000 + 1_000);
      const figures = async () => {
        const query = { from: formatDay(day ?? 0), to: formatDay(day ?? 0), groupBy: 'user', userId: user_id } as const;
        const { groups } = await app.app.get(UsageReportQuery).page(query, { offset: 0, limit: 1 });
        const { messages, tokens } = await app.app.get(AgentStatsReportService).totals(agent_id ?? 0);
        return [groups[0]?.messages, groups[0]?.usage.total, messages, tokens];
      };
      await app.app.get(UsageFolding).foldAll();
      expect(await figures()).toEqual([4, 16, 4, 16]);
      await new UsageRecords(app, user_id ?? 0, 'normal', agent_id).reply(TOKENS, { messageId: 1_000_000, at });
      expect(await figures()).toEqual([5, 26, 5, 26]);
      await app.app.get(UsageFolding).foldUser(user_id ?? 0);
      expect(await figures()).toEqual([5, 26, 5, 26]);
    } finally {
      await app.close();
      await database.drop();
    }
  });
});
