// @databases mariadb mysql: dates and times
import { tokenUsage } from '../../src/common/token-usage';
import { Database } from '../../src/database/database';
import type { OverviewDayDto, OverviewDto } from '../../src/modules/admin/statistics/overview.dto';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { UsageService } from '../../src/modules/usage/usage.service';
import { createUser, type TestAccount } from '../support/accounts';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const TODAY = new Date();
const day = (daysAgo: number) => new Date(TODAY.getTime() - daysAgo * 86_400_000);
const dayName = (daysAgo: number) => day(daysAgo).toISOString().slice(0, 10);

const NOTHING: Omit<OverviewDayDto, 'date' | 'new_users'> = {
  active_users: 0,
  messages: 0,
  tokens: 0,
  replies: 0,
  failed_replies: 0,
  cost: '0',
  unpriced: 0,
  first_token_p50_ms: null,
  first_token_p95_ms: null,
};

describe('the statistics of the installation', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let ada: TestAccount;
  let bob: TestAccount;
  let agentId: number;
  let messageId = 1_000_000;

  /** A message and its reply, as the chat module counts them; without a first token the reply failed. */
  const exchange = (user: TestAccount, daysAgo: number, firstTokenMs: number | null, on = app) =>
    on.app.get(Database).write(async (manager) => {
      const usage = on.app.get(UsageService);
      const base = { userId: user.user.id, apiKeyId: null, tokensPerDay: null, agentId, chatId: 1, at: day(daysAgo) };
      await usage.recordUserMessage(manager, { ...base, tier: 'normal', messageId: messageId++ });
      await usage.recordReply(manager, {
        ...base,
        messageId: messageId++,
        model: 'small',
        usage: tokenUsage(9, 1),
        status: firstTokenMs === null ? 'failed' : 'completed',
        startedAt: base.at,
        firstTokenMs,
        returnMessage: false,
      });
    });

  const overview = async (asked = admin) => (await asked.get<OverviewDto>('/admin/stats/overview')).body.data;

  beforeAll(async () => {
    agentId = (await admin.post<{ id: number }>('/agents', { name: 'Counted' })).body.data.id;
    ada = await createUser(app, { createdAt: day(29) });
    bob = await createUser(app, { createdAt: day(40) });
    const leaver = await createUser(app, { createdAt: day(2) });
    await admin.delete(`/admin/users/${leaver.user.id}`);
    await exchange(bob, 40, 5_000);
    await exchange(ada, 29, 10);
    await exchange(ada, 2, 100);
    await exchange(ada, 2, 100);
    await exchange(bob, 2, 4_000);
    await exchange(bob, 2, null);
    await exchange(bob, 0, 400_000);
  });

  // The same numbers before and after past days are aggregated, and from the cache.
  describe.each(['open', 'closed', 'remembered'])('while past days are %s', (state) => {
    beforeAll(async () => {
      while (state === 'closed' && (await app.app.get(DayClosingService).closeNextDay()));
    });

    it('have each of thirty days, ascending, including days without activity', async () => {
      const { days } = await overview();
      expect(days.map(({ date }) => date)).toEqual(
        Array.from({ length: 30 }, (_element, index) => dayName(29 - index)),
      );
      expect(days[28]).toEqual({ date: dayName(1), new_users: 0, ...NOTHING });
      expect(days[0]).toEqual({
        ...NOTHING,
        date: dayName(29),
        new_users: 1,
        active_users: 1,
        messages: 2,
        tokens: 10,
        replies: 1,
        // It is older than the cost columns.
        cost: null,
        first_token_p50_ms: expect.any(Number),
        first_token_p95_ms: expect.any(Number),
      });
    });

    it('aggregate the current month', async () => {
      const { days, this_month } = await overview();
      const ofMonth = days.filter(({ date }) => date.slice(0, 7) === dayName(0).slice(0, 7));
      expect(this_month.tokens).toBe(ofMonth.reduce((sum, { tokens }) => sum + tokens, 0));
      expect(this_month.messages).toBe(ofMonth.reduce((sum, { messages }) => sum + messages, 0));
    });

    it('count users once a day, closed accounts, failed replies, and the time to the first token', async () => {
      const found = (await overview()).days[27];
      expect(found).toMatchObject({
        date: dayName(2),
        new_users: 1,
        active_users: 2,
        messages: 8,
        tokens: 40,
        replies: 4,
        failed_replies: 1,
      });
      expect(Math.abs((found?.first_token_p50_ms ?? 0) / 100 - 1)).toBeLessThan(0.1);
      expect(Math.abs((found?.first_token_p95_ms ?? 0) / 4_000 - 1)).toBeLessThan(0.1);
    });

    it('have the distribution of the thirty days, always in the same classes', async () => {
      const classes = (await overview()).first_token_histogram;
      const bounds = classes.map(({ up_to_ms }) => up_to_ms);
      expect(bounds).toHaveLength(28);
      expect(bounds.at(-1)).toBeNull();
      expect(bounds.slice(0, -1)).toEqual([...bounds.slice(0, -1)].sort((one, other) => Number(one) - Number(other)));
      const filled = classes.filter(({ replies }) => replies > 0);
      expect(filled.map(({ replies }) => replies)).toEqual([1, 2, 1, 1]);
      expect(filled[0]?.up_to_ms).toBe(20);
      const [second, third, last] = filled.slice(1).map(({ up_to_ms }) => up_to_ms);
      expect([100 / 1.44 < Number(second), Number(second) >= 100]).toEqual([true, true]);
      expect([Number(third) >= 4_000, Number(third) < 4_000 * 1.44]).toEqual([true, true]);
      expect(last).toBeNull();
    });
  });

  // Its counts would be in the distribution of the other tests.
  describe('in another installation', () => {
    const other = useOwnTestApp();
    const otherAdmin = useAdmin(other);

    it("are updated by today's activity", async () => {
      const user = await createUser(other);
      await exchange(user, 2, 100, other);
      await exchange(user, 0, 100, other);
      while (await other.app.get(DayClosingService).closeNextDay());
      const before = (await overview(otherAdmin)).days.at(-1);
      expect(before).toMatchObject({ active_users: 1, messages: 2 });
      await exchange(await createUser(other), 0, 50, other);
      const after = (await overview(otherAdmin)).days.at(-1);
      expect(after).toMatchObject({
        date: dayName(0),
        new_users: Number(before?.new_users) + 1,
        active_users: Number(before?.active_users) + 1,
        messages: Number(before?.messages) + 2,
      });
    });
  });
});
