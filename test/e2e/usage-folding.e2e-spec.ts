// @databases mariadb mysql: locks and deadlocks
import { Clock } from '../../src/common/clock';
import { formatDay, utcDay } from '../../src/common/utc-day';
import { Database } from '../../src/database/database';
import { findLocked } from '../../src/database/statements/row-lock';
import { AgentStatsReportService } from '../../src/modules/agent/stats/agent-stats-report.service';
import { NewChatEntity } from '../../src/modules/usage/folding/new-chat.entity';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import type { UsageGroup, UsageGrouping } from '../../src/modules/usage/reports/usage-report';
import { UsageReportQuery } from '../../src/modules/usage/reports/usage-report.query';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { UsageStatisticsService } from '../../src/modules/usage/usage-statistics.service';
import { PersonalDataRegistry } from '../../src/modules/user/user.api';
import { createUser } from '../support/accounts';
import { startInstance, type TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';
import { untilNextNoon, UsageRecords } from './usage-records';

type Instance = Pick<TestApp, 'app'>;

const TOKENS = 10;

/** Lets other work run: SQLite answers without ever yielding the event loop. */
const others = () => new Promise(setImmediate);

let lastAgentId = 1_000;

const today = (instance: Instance) => utcDay(instance.app.get(Clock).now());

/** One group in the usage report of a user. */
async function reported(instance: Instance, userId: number, groupBy: UsageGrouping): Promise<UsageGroup | undefined> {
  const day = formatDay(today(instance));
  const query = { from: formatDay(today(instance) - 3), to: day, groupBy, userId };
  return (await instance.app.get(UsageReportQuery).page(query, { offset: 0, limit: 10 })).groups[0];
}

/** The number of a user's rows that are missing in the sums. */
async function unsummed(instance: Instance, userId: number): Promise<number> {
  const { manager } = instance.app.get(Database);
  const entries = await manager.countBy(UsageEntryEntity, { userId, unsummed: 1 });
  return entries + (await manager.countBy(NewChatEntity, { userId }));
}

describe('usage sums', () => {
  const app = useTestApp({ QUOTA_FREE_MESSAGES: '1000000', QUOTA_FREE_TOKENS: '1000000' });
  const instances: Instance[] = [];
  let second: Awaited<ReturnType<typeof startInstance>> | undefined;
  let records: UsageRecords;
  let userId: number;
  let agentId: number;
  const folding = (instance: Instance = app) => instance.app.get(UsageFolding);

  beforeAll(async () => {
    app.freezeClock();
    app.advanceClock(untilNextNoon(app));
    instances.push(app);
    if (app.app.get(Database).isShared) {
      second = await startInstance(app.environment);
      const clock = app.app.get(Clock);
      second.app.get(Clock).now = () => clock.now();
      instances.push(second);
    }
  });

  afterAll(() => second?.app.close());

  beforeEach(async () => {
    ({
      user: { id: userId },
    } = await createUser(app));
    agentId = ++lastAgentId;
    records = new UsageRecords(app, userId, 'normal', agentId);
  });

  afterEach(() => jest.restoreAllMocks());

  /** The background adds nothing to the sums from now on. */
  const leaveUnsummed = () => {
    for (const instance of instances) {
      jest.spyOn(folding(instance), 'foldAll').mockResolvedValue(null);
    }
  };

  /** The statistics of the user's or agent's messages, on each instance. */
  const messagesEverywhere = async (): Promise<number[]> => {
    const figures = instances.map(async (instance) => [
      (await instance.app.get(UsageStatisticsService).usage(userId)).today_stats.today_messages,
      (await reported(instance, userId, 'day'))?.messages ?? 0,
      (await reported(instance, userId, 'agent'))?.messages ?? 0,
      (await instance.app.get(AgentStatsReportService).totals(agentId)).messages,
    ]);
    return (await Promise.all(figures)).flat();
  };

  /** The user's number of created chats, on each instance. */
  const chatsEverywhere = async (): Promise<number[]> =>
    Promise.all(
      instances.map(async (instance) => (await instance.app.get(UsageStatisticsService).totals(userId)).total_chats),
    );

  it('are exact at any moment while messages are added to them', async () => {
    let begun = 0;
    let stored = 0;
    let isWriting = true;
    const write = async (instance: Instance) => {
      const own = new UsageRecords(instance, userId, 'normal', agentId);
      for (let count = 0; count < 60; count++) {
        begun++;
        await own.chat();
        await (count % 2 === 0 ? own.message() : own.reply(TOKENS));
        stored++;
      }
    };
    const fold = async (instance: Instance) => {
      while (isWriting) {
        await folding(instance).foldAll();
        await others();
      }
    };
    const read = async () => {
      for (let reads = 0; isWriting || reads === 0; reads++) {
        const least = stored;
        for (const count of [...(await messagesEverywhere()), ...(await chatsEverywhere())]) {
          expect(count).toBeGreaterThanOrEqual(least);
          expect(count).toBeLessThanOrEqual(begun);
        }
        await others();
      }
    };
    const writing = Promise.all([...instances, ...instances].map(write)).finally(() => (isWriting = false));
    await Promise.all([writing, ...instances.map(fold), read()]);
    expect(await messagesEverywhere()).toEqual(instances.flatMap(() => Array<number>(4).fill(stored)));
    await folding().foldUser(userId);
    expect(await unsummed(app, userId)).toBe(0);
    expect(await chatsEverywhere()).toEqual(instances.map(() => stored));
    expect(await messagesEverywhere()).toEqual(instances.flatMap(() => Array<number>(4).fill(stored)));
  });

  it('include everything about a message, added or not', async () => {
    leaveUnsummed();
    await records.chat();
    await records.message();
    await records.reply(TOKENS, { firstTokenMs: 100 });
    await records.reply(0, { status: 'failed', firstTokenMs: null });
    const statistics = async () => [
      await app.app.get(UsageStatisticsService).usage(userId),
      await Promise.all((['day', 'user', 'agent', 'model'] as const).map((group) => reported(app, userId, group))),
      await app.app.get(AgentStatsReportService).totals(agentId),
    ];
    const before = await statistics();
    expect(await unsummed(app, userId)).toBe(4);
    await folding().foldUser(userId);
    expect(await unsummed(app, userId)).toBe(0);
    expect(await statistics()).toEqual(before);
    const expected = { chats: 1, messages: 3, tokens: TOKENS, likes: 0, dislikes: 0, errors: 1 };
    expect(before[2]).toEqual(expected);
    expect(await reported(app, userId, 'day')).toMatchObject({
      chats: 1,
      messages: 3,
      userMessages: 1,
      failedReplies: 1,
    });
  });

  it('lose and duplicate nothing when an addition fails in the middle', async () => {
    leaveUnsummed();
    let fails = true;
    folding().onFold(() => (fails ? Promise.reject(new Error('the process ends')) : Promise.resolve()));
    await records.chat();
    await records.message();
    await records.reply(TOKENS);
    await expect(folding().foldUser(userId)).rejects.toThrow('the process ends');
    fails = false;
    expect(await unsummed(app, userId)).toBe(3);
    expect(await messagesEverywhere()).toEqual(instances.flatMap(() => Array<number>(4).fill(2)));
    await folding().foldUser(userId);
    expect(await messagesEverywhere()).toEqual(instances.flatMap(() => Array<number>(4).fill(2)));
  });

  it('delay closing a day until everything is added', async () => {
    const closing = app.app.get(DayClosingService);
    while (await closing.closeNextDay());
    leaveUnsummed();
    await records.message();
    await folding().foldUser(userId);
    await records.reply(TOKENS);
    const day = today(app);
    app.advanceClock(86_400_000);
    expect(await closing.closeNextDay()).toBe(false);
    expect(await closing.newestClosedDay()).toBeLessThan(day);
    jest.restoreAllMocks();
    // The first check adds the rest, and closes.
    expect(await closing.closeNextDay()).toBe(true);
    expect(await closing.newestClosedDay()).toBe(day);
    expect(await reported(app, userId, 'user')).toMatchObject({ messages: 2, usage: { total: TOKENS } });
  });

  it("keep a user's usage when the user is erased right after it", async () => {
    leaveUnsummed();
    await records.chat();
    await records.message();
    await records.reply(TOKENS);
    const before = await reported(app, userId, 'user');
    const source = app.app.get(PersonalDataRegistry).sources.find(({ name }) => name === 'usage_by_message');
    await source?.erase(userId);
    const { manager } = app.app.get(Database);
    expect(await manager.countBy(UsageEntryEntity, { userId })).toBe(0);
    expect(await unsummed(app, userId)).toBe(0);
    expect(await reported(app, userId, 'user')).toEqual(before);
    expect(before).toMatchObject({ chats: 1, messages: 2, usage: { total: TOKENS } });
  });

  it('are in the export of a user up to the last message', async () => {
    leaveUnsummed();
    await records.message();
    const source = app.app.get(PersonalDataRegistry).sources.find(({ name }) => name === 'usage_by_day');
    const days: object[] = [];
    for await (const day of source?.rows(userId) ?? []) {
      days.push(day);
    }
    expect(days).toMatchObject([{ date: formatDay(today(app)), messages: 1 }]);
  });

  it('receive each message once when all instances add concurrently, and wait for a running one', async () => {
    leaveUnsummed();
    await Promise.all(Array.from({ length: 20 }, () => records.message()));
    await Promise.all([...instances, ...instances].map((instance) => folding(instance).foldUser(userId)));
    expect(await messagesEverywhere()).toEqual(instances.flatMap(() => Array<number>(4).fill(20)));
    if (second !== undefined) {
      const messageId = 1_999_000_000 + userId;
      await records.reply(TOKENS, { messageId });
      let waiting: Promise<void> | undefined;
      await second.app.get(Database).write(async (manager) => {
        await findLocked(manager, UsageEntryEntity, { messageId });
        jest.restoreAllMocks();
        // It skips rows that another transaction has locked, so that no request waits.
        await folding().foldAll();
        expect(await unsummed(app, userId)).toBe(1);
        waiting = folding().foldUser(userId);
      });
      await waiting;
      expect(await unsummed(app, userId)).toBe(0);
    }
  });
});
