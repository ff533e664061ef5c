// @databases mariadb mysql: dates and times
import { Database } from '../../src/database/database';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { type TotalStatsDto, type UsageStatsDto } from '../../src/modules/usage/usage-stats.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';
import { untilNextNoon, UsageRecords } from './usage-records';

describe('usage statistics', () => {
  const app = useTestApp({ ACCESS_TOKEN_TTL: '31536000', REFRESH_TOKEN_TTL: '31536000' });
  let user: TestAccount;
  let records: UsageRecords;

  beforeAll(() => {
    app.advanceClock(untilNextNoon(app));
  });

  beforeEach(async () => {
    user = await createUser(app);
    records = new UsageRecords(app, user.user.id);
  });

  const stats = async () => (await call<UsageStatsDto>(`${app.url}/user/usage-stats`, { token: user.token })).body;
  const totals = async () => (await call<TotalStatsDto>(`${app.url}/user/total-stats`, { token: user.token })).body;
  const today = () => records.now().toISOString().slice(0, 10);

  it('start with zeros for each of 30 days', async () => {
    const { total_stats, today_stats, daily_usage } = await stats();
    expect(total_stats).toEqual({ total_messages: 0, total_tokens: 0, total_chats: 0, total_cost: '0' });
    expect(today_stats).toEqual({ today_messages: 0, today_tokens: 0, today_cost: '0' });
    expect(daily_usage).toHaveLength(30);
    expect(daily_usage.at(-1)).toEqual({ date: today(), messages: 0, tokens: 0, cost: '0' });
    const dates = daily_usage.map(({ date }) => Date.parse(date));
    expect(dates.slice(1).map((date, index) => date - (dates[index] ?? 0))).toEqual(Array(29).fill(86_400_000));
    expect(await totals()).toMatchObject({ ...total_stats, currency: 'USD' });
  });

  it('count chats, messages of both roles and tokens, for all agents and models', async () => {
    await records.chat();
    await records.message();
    await records.reply(100);
    await records.message();
    await records.reply(50, { model: 'model-b' });
    await records.reply(0, { status: 'failed', firstTokenMs: null });
    await new UsageRecords(app, user.user.id, 'normal', 2).reply(7);
    expect(await totals()).toMatchObject({ total_messages: 6, total_tokens: 157, total_chats: 1 });
    const { today_stats, daily_usage } = await stats();
    // Usage before costs existed has none, which is not zero.
    expect(today_stats).toEqual({ today_messages: 6, today_tokens: 157, today_cost: null });
    expect(daily_usage.at(-1)).toEqual({ date: today(), messages: 6, tokens: 157, cost: null });
  });

  it('belong to their user', async () => {
    await records.message();
    const other = await createUser(app);
    const { body } = await call(`${app.url}/user/total-stats`, { token: other.token });
    expect(body).toMatchObject({ total_messages: 0, total_tokens: 0, total_chats: 0 });
  });

  it('lose nothing in concurrent counts', async () => {
    await Promise.all([
      ...Array.from({ length: 25 }, () => records.message()),
      ...Array.from({ length: 25 }, () => records.reply(10)),
      ...Array.from({ length: 10 }, () => records.chat()),
    ]);
    expect(await totals()).toMatchObject({ total_messages: 50, total_tokens: 250, total_chats: 10 });
    expect((await stats()).today_stats).toMatchObject({ today_messages: 50, today_tokens: 250 });
  });

  it('count nothing from a rollback', async () => {
    const undone = app.app.get(Database).write(async () => {
      await records.message();
      await records.reply(10);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await totals()).toMatchObject({ total_messages: 0, total_tokens: 0, total_chats: 0 });
  });

  it('are read from counters, not from the messages', async () => {
    await records.message();
    await records.reply(10);
    await app.app.get(Database).write((manager) => manager.delete(UsageEntryEntity, { userId: user.user.id }));
    expect(await totals()).toMatchObject({ total_messages: 2, total_tokens: 10, total_chats: 0 });
  });

  it('refuse to count a message twice', async () => {
    await records.reply(10, { messageId: 2_000_000_000 });
    await expect(records.reply(10, { messageId: 2_000_000_000 })).rejects.toThrow();
    expect(await totals()).toMatchObject({ total_messages: 1, total_tokens: 10 });
  });

  it('follow the UTC day and drop nothing', async () => {
    await records.message();
    await records.reply(100);
    const firstDay = today();
    app.advanceClock(untilNextNoon(app));
    await records.message();
    const { today_stats, daily_usage, total_stats } = await stats();
    expect(today_stats).toMatchObject({ today_messages: 1, today_tokens: 0 });
    expect(daily_usage.slice(-2)).toMatchObject([
      { date: firstDay, messages: 2, tokens: 100 },
      { date: today(), messages: 1, tokens: 0 },
    ]);
    expect(total_stats).toMatchObject({ total_messages: 3, total_tokens: 100, total_chats: 0 });
    app.advanceClock(29 * 86_400_000);
    const later = await stats();
    expect(later.daily_usage[0]).toMatchObject({ date: expect.any(String), messages: 1, tokens: 0 });
    expect(later.total_stats).toEqual(total_stats);
  });

  it.each(['usage-stats', 'total-stats', 'quota'])('need a token (%s)', async (path) => {
    expectFailure(await call(`${app.url}/user/${path}`), 401, 'UNAUTHORIZED');
  });
});
