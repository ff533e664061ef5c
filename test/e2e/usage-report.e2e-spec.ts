import { Database } from '../../src/database/database';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { UsageClosedDayEntity } from '../../src/modules/usage/reports/usage-closed-day.entity';
import type { UsageGroup, UsageGrouping } from '../../src/modules/usage/reports/usage-report';
import { UsageReportQuery } from '../../src/modules/usage/reports/usage-report.query';
import { UsageUserMonthEntity } from '../../src/modules/usage/reports/usage-user-month.entity';
import { createUser } from '../support/accounts';
import { startTestApp } from '../support/test-app';
import { made } from '../support/use-app';
import { untilNextNoon, UsageRecords } from './usage-records';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('usage reports', () => {
  // One for each test: they close days, and count global totals.
  const app = made(beforeEach, () => startTestApp());
  let first: UsageRecords;
  let second: UsageRecords;
  let days: string[];

  beforeEach(async () => {
    app.advanceClock(untilNextNoon(app));
    const [one, other] = [await createUser(app), await createUser(app)];
    first = new UsageRecords(app, one.user.id);
    second = new UsageRecords(app, other.user.id, 'normal', 2);
    const start = first.now().getTime();
    days = [0, 1, 2].map((index) => new Date(start + index * DAY).toISOString().slice(0, 10));
    await first.chat();
    await first.message();
    await first.reply(100);
    await second.message();
    await second.reply(10, { model: 'model-b' });
    app.advanceClock(DAY);
    await first.message();
    await first.reply(0, { status: 'failed', firstTokenMs: null });
    app.advanceClock(DAY);
    await second.message();
    await second.reply(1_000);
  });

  afterEach(() => app.close());

  const reports = () => app.app.get(UsageReportQuery);
  const closing = () => app.app.get(DayClosingService);
  const usage = async (groupBy: UsageGrouping, details: { from?: string; to?: string; userId?: number } = {}) => {
    const query = { from: days[0]!, to: days[2]!, groupBy, ...details };
    const { groups, total } = await reports().page(query, { offset: 0, limit: 100 });
    expect(total).toBe(groups.length);
    const batches: UsageGroup[][] = [];
    for await (const batch of await reports().batches(query)) {
      batches.push(batch);
    }
    expect(batches.flat()).toEqual(groups);
    return groups.map(({ key, messages, usage: { total: tokens } }) => [key, messages, tokens]);
  };
  const expected = () => ({
    day: [
      [days[0], 4, 110],
      [days[1], 2, 0],
      [days[2], 2, 1_000],
    ],
    user: [
      [second.userId, 4, 1_010],
      [first.userId, 4, 100],
    ],
    agent: [
      [2, 4, 1_010],
      [1, 4, 100],
    ],
    model: [
      ['model-a', 3, 1_100],
      ['model-b', 1, 10],
      [null, 4, 0],
    ],
  });

  it('are the same by day, user, agent and model, before and after days are closed', async () => {
    const database = app.app.get(Database);
    for (const closedDays of [0, 1, 2]) {
      expect(await database.repository(UsageClosedDayEntity).countBy({})).toBe([0, 4, 6][closedDays]);
      for (const groupBy of ['day', 'user', 'agent', 'model'] as const) {
        expect(await usage(groupBy)).toEqual(expected()[groupBy]);
      }
      expect(await reports().overview()).toMatchObject({
        total: {
          chats: 1,
          messages: 8,
          userMessages: 4,
          usage: { prompt: 1_107, completion: 3, total: 1_110 },
          failedReplies: 1,
        },
        today: { chats: 0, messages: 2, userMessages: 1, usage: { total: 1_000 }, failedReplies: 0 },
        activeUsers: { today: 1, last7Days: 2, last30Days: 2 },
      });
      expect(await closing().closeNextDay()).toBe(closedDays < 2);
    }
  });

  it('cover the requested days and the requested user', async () => {
    expect(await usage('day', { from: days[1], to: days[1] })).toEqual([[days[1], 2, 0]]);
    expect(await usage('day', { userId: second.userId })).toEqual([
      [days[0], 2, 10],
      [days[2], 2, 1_000],
    ]);
    expect(await usage('agent', { from: '2001-01-01', to: '2001-12-31' })).toEqual([]);
  });

  it('close a day once, even in concurrent attempts', async () => {
    while (await closing().closeNextDay());
    const results = await Promise.all([closing().closeNextDay(), closing().closeNextDay()]);
    expect(results).toEqual([false, false]);
    app.advanceClock(DAY);
    await Promise.all([closing().closeNextDay(), closing().closeNextDay(), closing().closeNextDay()]);
    expect(await usage('day')).toEqual(expected().day);
    expect(await closing().newestClosedDay()).toBe(Math.floor(Date.parse(days[2]!) / DAY));
  });

  it('keep a day open for an hour after its end, for late counts', async () => {
    while (await closing().closeNextDay());
    app.freezeClock();
    app.advanceClock(DAY - (first.now().getTime() % DAY) + HOUR - 1);
    expect(await closing().closeNextDay()).toBe(false);
    app.advanceClock(1);
    expect(await closing().closeNextDay()).toBe(true);
  });

  it('count users as active who sent a message within seven days, and within thirty', async () => {
    const active = async () => (await reports().overview()).activeUsers;
    app.advanceClock(6 * DAY);
    expect(await active()).toEqual({ today: 0, last7Days: 1, last30Days: 2 });
    app.advanceClock(DAY);
    expect(await active()).toEqual({ today: 0, last7Days: 0, last30Days: 2 });
    app.advanceClock(22 * DAY);
    expect(await active()).toEqual({ today: 0, last7Days: 0, last30Days: 1 });
    app.advanceClock(DAY);
    expect(await active()).toEqual({ today: 0, last7Days: 0, last30Days: 0 });
  });

  it('are the same by user over whole months and parts of them', async () => {
    const from = days[0]!;
    const expectedTokens = new Map([
      [first.userId, 100],
      [second.userId, 1_010],
    ]);
    for (let step = 1; step <= 10; step++) {
      app.advanceClock(11 * DAY);
      await first.reply(step);
      expectedTokens.set(first.userId, (expectedTokens.get(first.userId) ?? 0) + step);
      while (await closing().closeNextDay());
      const groups = await usage('user', { from, to: first.now().toISOString().slice(0, 10) });
      expect(new Map(groups.map(([key, , tokens]) => [key, tokens]))).toEqual(expectedTokens);
    }
    const tables = app.app.get(Database);
    expect(await tables.repository(UsageUserMonthEntity).countBy({ userId: first.userId })).toBeGreaterThan(3);
  });
});
