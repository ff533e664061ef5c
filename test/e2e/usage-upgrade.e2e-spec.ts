// @databases mariadb: migrations
import { formatDay } from '../../src/common/utc-day';
import { AgentStatsReportService } from '../../src/modules/agent/stats/agent-stats-report.service';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { UsageAccountQuery } from '../../src/modules/usage/quota/usage-account.query';
import { UsageReportQuery } from '../../src/modules/usage/reports/usage-report.query';
import { buildDatabase } from '../support/releases/release-database';
import { type Release, RELEASES } from '../support/releases/releases';
import { createTestDatabase } from '../support/servers/test-database';
import { startTestApp } from '../support/test-app';
import { UsageRecords } from './usage-records';

const TOKENS = 10;

/** The state before a user's number of chats was also summed in the background. */
const COUNTED_AT_ONCE: Release = {
  name: '1.0.0, later',
  lastMigration: 'MessageSearch1700000001300',
  rows: {
    usage_accounts: [
      { user_id: 7, total_chats: 5 },
      { user_id: 8, total_chats: 1 },
    ],
    // Two of the five.
    usage_new_chats: [1, 2].map((id) => ({ id, user_id: 7, agent_id: 1, day: 20_000 })),
  },
};

it('the number of created chats is unchanged when some of them wait for their sums', async () => {
  const database = await createTestDatabase();
  await buildDatabase(database.url, COUNTED_AT_ONCE);
  const app = await startTestApp({ DATABASE_URL: database.url });
  try {
    const chats = async () => {
      const totalsOf = await app.app.get(UsageAccountQuery).totalsOf([7, 8, 9]);
      return [7, 8, 9].map((userId) => totalsOf(userId).chats);
    };
    expect(await chats()).toEqual([5, 1, 0]);
    await app.app.get(UsageFolding).foldUser(7);
    expect(await chats()).toEqual([5, 1, 0]);
  } finally {
    await app.close();
    await database.drop();
  }
});

describe.each(RELEASES)('usage sums in a database from release $name', (release) => {
  it('are unchanged, and continue', async () => {
    const database = await createTestDatabase();
    await buildDatabase(database.url, release);
    const app = await startTestApp({ DATABASE_URL: database.url });
    try {
      const [{ day, user_id, agent_id }] = release.rows.usage_rollups as [Record<string, number>];
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
