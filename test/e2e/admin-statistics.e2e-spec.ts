// @databases mariadb: dates and times
import type { OpenAPIObject } from '@nestjs/swagger';
import { tokenUsage } from '../../src/common/token-usage';
import { Database } from '../../src/database/database';
import { type OverviewDto } from '../../src/modules/admin/statistics/overview.dto';
import { type UsageRowDto, type UserUsageDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { UsageService } from '../../src/modules/usage/usage.service';
import { createUser, type TestAccount } from '../support/accounts';
import { type PageBody } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const NONE = {
  chats: 0,
  messages: 0,
  user_messages: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  tokens: 0,
  failed_replies: 0,
  cost: '0',
  unpriced: 0,
  requests: 0,
};

const TODAY = new Date();

function day(daysAgo: number): Date {
  return new Date(TODAY.getTime() - daysAgo * 86_400_000);
}

function dayName(daysAgo: number): string {
  return day(daysAgo).toISOString().slice(0, 10);
}

describe('statistics for administrators', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let ada: TestAccount;
  let bob: TestAccount;
  let agentId: number;
  let messageId = 1_000_000;

  /** A chat, a message and its reply, as the chat module counts them. */
  const exchange = (user: TestAccount, daysAgo: number, model: string, tokens: number, on = app) =>
    on.app.get(Database).write(async (manager) => {
      const usage = on.app.get(UsageService);
      const base = { userId: user.user.id, apiKeyId: null, tokensPerDay: null, agentId, chatId: 1, at: day(daysAgo) };
      await usage.recordChat(manager, base);
      await usage.recordUserMessage(manager, { ...base, tier: 'normal', messageId: messageId++ });
      await usage.recordReply(manager, {
        ...base,
        messageId: messageId++,
        model,
        usage: tokenUsage(tokens - 1, 1),
        status: 'completed',
        startedAt: base.at,
        firstTokenMs: 1,
        returnMessage: false,
      });
    });

  beforeAll(async () => {
    ada = await createUser(app, { username: '=HYPERLINK("x")' });
    bob = await createUser(app);
    agentId = (await admin.post<{ id: number }>('/agents', { name: '@Counted, "the" agent' })).body.data.id;
    await exchange(ada, 40, 'large', 100);
    await exchange(ada, 2, 'large', 10);
    await exchange(bob, 2, 'small', 20);
    await exchange(bob, 0, 'small', 5);
  });

  const currency = 'USD';
  const usage = (query: string) => admin.items<UsageRowDto>(`/admin/stats/usage?${query}`);
  const sums = (exchanges: number, tokens: number) => ({
    chats: exchanges,
    messages: 2 * exchanges,
    user_messages: exchanges,
    prompt_tokens: tokens - exchanges,
    completion_tokens: exchanges,
    tokens,
    failed_replies: 0,
    // They were counted before costs existed.
    cost: null,
    unpriced: 0,
    requests: 0,
  });

  // The same numbers before and after past days are aggregated.
  describe.each(['open', 'closed'])('while past days are %s', (state) => {
    beforeAll(async () => {
      while (state === 'closed' && (await app.app.get(DayClosingService).closeNextDay()));
    });

    it('return the totals', async () => {
      const { data } = (await admin.get<OverviewDto>('/admin/stats/overview')).body;
      expect(data).toMatchObject({
        total: sums(4, 135),
        today: sums(1, 5),
        active_users: { today: 1, last_7_days: 2, last_30_days: 2 },
        users: { total: 3, administrators: 1, paid: 0, banned: 0 },
      });
    });

    it('return every day of the last thirty, by default', async () => {
      const { body } = await admin.get<PageBody<UsageRowDto>>('/admin/stats/usage');
      expect(body.data.pagination).toEqual({ page: 1, size: 100, total: 30, pages: 1 });
      expect(body.data.items[0]).toEqual({ key: dayName(29), name: null, currency, ...NONE });
      expect(body.data.items[27]).toEqual({ key: dayName(2), name: null, currency, ...sums(2, 30) });
      expect(body.data.items[29]).toEqual({ key: dayName(0), name: null, currency, ...sums(1, 5) });
      expect(await usage('size=9&page=4')).toEqual(body.data.items.slice(27));
      const beyond = (await admin.get<PageBody<UsageRowDto>>('/admin/stats/usage?size=9&page=5')).body.data;
      expect(beyond).toEqual({ items: [], pagination: { page: 5, size: 9, total: 30, pages: 4 } });
    });

    it('are grouped by user, agent and model, the largest first', async () => {
      const period = `from=${dayName(365)}&to=${dayName(0)}`;
      expect(await usage(`${period}&group_by=user`)).toEqual([
        { key: ada.user.id, name: '=HYPERLINK("x")', currency, ...sums(2, 110) },
        { key: bob.user.id, name: bob.user.username, currency, ...sums(2, 25) },
      ]);
      expect(await usage(`${period}&group_by=agent`)).toEqual([
        { key: agentId, name: '@Counted, "the" agent', currency, ...sums(4, 135) },
      ]);
      const models = await usage(`${period}&group_by=model`);
      expect(models.map(({ key, tokens }) => [key, tokens])).toEqual([
        ['large', 110],
        ['small', 25],
        [null, 0],
      ]);
      expect(await usage(`${period}&group_by=user&page=2&size=1`)).toMatchObject([{ key: bob.user.id }]);
    });

    it('count only the requested days', async () => {
      const rows = await usage(`from=${dayName(2)}&to=${dayName(2)}&group_by=user`);
      expect(rows.map(({ key, tokens }) => [key, tokens])).toEqual([
        [bob.user.id, 20],
        [ada.user.id, 10],
      ]);
    });

    it('return a user’s days and their sum', async () => {
      const path = `/admin/users/${ada.user.id}/usage?from=${dayName(3)}&to=${dayName(1)}`;
      expect((await admin.get<UserUsageDto>(path)).body.data).toEqual({
        from: dayName(3),
        to: dayName(1),
        currency,
        total: sums(1, 10),
        days: [
          { date: dayName(3), ...NONE },
          { date: dayName(2), ...sums(1, 10) },
          { date: dayName(1), ...NONE },
        ],
      });
    });
  });

  it('are exported as a file that spreadsheets open correctly and without executable content', async () => {
    const path = `/admin/stats/usage?group_by=user&format=csv&size=1&from=${dayName(50)}&to=${dayName(0)}`;
    const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${admin.account.token}` } });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="usage-by-user-${dayName(50)}-${dayName(0)}.csv"`,
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(bytes.subarray(3).toString('utf8')).toBe(
      [
        '"user_id","name","chats","messages","user_messages","prompt_tokens","completion_tokens","tokens","failed_replies","cost","unpriced","requests"',
        `${ada.user.id},"'=HYPERLINK(""x"")",2,4,2,108,2,110,0,,0,0`,
        `${bob.user.id},"${bob.user.username}",2,4,2,23,2,25,0,,0,0`,
        '',
      ].join('\r\n'),
    );
  });

  it('convert timestamps to their UTC days', async () => {
    const period = `from=${dayName(3)}T23:30:00-01:00&to=${dayName(1)}T00:30:00.000%2B01:00`;
    const keys = (await usage(period)).map(({ key }) => key);
    expect(keys).toEqual([dayName(2)]);
    const path = `/admin/users/${ada.user.id}/usage?${period}`;
    expect((await admin.get<UserUsageDto>(path)).body.data).toMatchObject({ from: dayName(2), to: dayName(2) });
    const rest = await usage(`from=${dayName(1)}T12:00:00Z`);
    expect(rest.map(({ key }) => key)).toEqual([dayName(1), dayName(0)]);
  });

  it.each([
    'from=2026-01-02T23:30:00-01:00&to=2026-01-02',
    'from=2026-01-02&to=2026-01-01',
    'from=2025-01-01&to=2026-01-02',
    'from=2020-01-01',
    'group_by=password',
  ])('return 400 for ?%s', async (query) => {
    expectFailure(await admin.get(`/admin/stats/usage?${query}`), 400, 'VALIDATION_ERROR');
  });

  it('return the default page size', async () => {
    const { body } = await call<OpenAPIObject>(`${app.origin}/openapi.json`);
    const { parameters = [] } = body.paths['/api/v1/admin/stats/usage']?.get ?? {};
    const size = parameters.find((parameter) => 'name' in parameter && parameter.name === 'size');
    expect(size).toMatchObject({
      schema: { type: 'integer', default: 100, minimum: 1, maximum: 100 },
    });
  });

  it('accept a whole leap year and not a day more', async () => {
    expect((await admin.get('/admin/stats/usage?from=2024-01-01&to=2024-12-31')).status).toBe(200);
    expectFailure(await admin.get('/admin/stats/usage?from=2024-01-01&to=2025-01-01'), 400, 'VALIDATION_ERROR');
    const path = `/admin/users/${ada.user.id}/usage?from=2024-01-01&to=2025-01-01`;
    expectFailure(await admin.get(path), 400, 'VALIDATION_ERROR');
  });

  // Its counts would be in the totals of the other tests.
  describe('in another installation', () => {
    const other = useOwnTestApp();
    const otherAdmin = useAdmin(other);

    it('keep the totals when an account is closed', async () => {
      const overview = async () => (await otherAdmin.get<OverviewDto>('/admin/stats/overview')).body.data;
      await exchange(await createUser(other), 2, 'large', 100, other);
      const before = await overview();
      expect(before.total.tokens).toBe(100);
      const leaver = await createUser(other);
      await exchange(leaver, 0, 'small', 7, other);
      await otherAdmin.delete(`/admin/users/${leaver.user.id}`);
      const { total, users } = await overview();
      expect(total.tokens).toBe(before.total.tokens + 7);
      expect(users.total).toBe(before.users.total);
    });
  });
});
