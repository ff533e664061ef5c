import { type EntityTarget, LessThan, type ObjectLiteral } from 'typeorm';
import { Database } from '../../src/database/database';
import { type UsageRowDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import { UsageClosedDayEntity } from '../../src/modules/usage/reports/usage-closed-day.entity';
import type { UsageGroup } from '../../src/modules/usage/reports/usage-report';
import { UsageReportQuery } from '../../src/modules/usage/reports/usage-report.query';
import { UsageRollupEntity } from '../../src/modules/usage/reports/usage-rollup.entity';
import { UsageUserMonthEntity } from '../../src/modules/usage/reports/usage-user-month.entity';
import { type PageBody } from '../support/admin-client';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const DAY_MILLISECONDS = 86_400_000;

/** A whole month, which is aggregated by user, and the first day of the next one. */
const MONTH = '2024-03-01';
const NEXT_MONTH = '2024-04-01';
const DAY = Date.parse(NEXT_MONTH) / DAY_MILLISECONDS;
const PERIOD = `from=${MONTH}&to=${NEXT_MONTH}`;

const FIRST_ID = 1_000_000;
/** Few different numbers, so that many groups are equal in the sort order. */
const users = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => FIRST_ID + from + index).map((userId) => ({
    userId,
    tokens: 1 + (userId % 7),
  }));

describe('reports with several pages of groups', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  /** Users and their tokens, as in the report. */
  let expected: number[][];

  beforeAll(async () => {
    const [ofMonth, ofDay] = [users(0, 1_203), users(1_000, 1_300)];
    await insert(
      UsageUserMonthEntity,
      ofMonth.map((row) => ({ ...row, month: 2024 * 12 + 2 })),
    );
    await insert(
      UsageRollupEntity,
      ofDay.map((row) => ({ ...row, day: DAY, agentId: 1, model: '' })),
    );
    await insert(
      UsageClosedDayEntity,
      Array.from({ length: 1_100 }, (_, index) => ({ day: DAY, agentId: index, model: `m${index}` })),
    );
    const tokens = new Map(ofMonth.map((row) => [row.userId, row.tokens]));
    ofDay.forEach((row) => tokens.set(row.userId, (tokens.get(row.userId) ?? 0) + row.tokens));
    expected = [...tokens].sort(([id, some], [otherId, other]) => other - some || id - otherId);
  });

  const insert = (entity: EntityTarget<ObjectLiteral>, rows: object[]) =>
    app.app.get(Database).write(async (manager) => {
      for (let start = 0; start < rows.length; start += 200) {
        await manager.insert(entity, rows.slice(start, start + 200));
      }
    });
  const page = async (query: string) =>
    (await admin.get<PageBody<UsageRowDto>>(`/admin/stats/usage?${PERIOD}&${query}`)).body.data;
  const file = (groupBy: string) =>
    fetch(`${app.url}/admin/stats/usage?${PERIOD}&group_by=${groupBy}&format=csv`, {
      headers: { authorization: `Bearer ${admin.account.token}` },
    });
  const linesOf = async (answer: Response) => (await answer.text()).trimEnd().split('\r\n').slice(1);

  it('show all of them, page by page', async () => {
    const items: UsageRowDto[] = [];
    for (let number = 1; number <= 13; number++) {
      const { items: shown, pagination } = await page(`group_by=user&page=${number}`);
      expect(pagination).toEqual({ page: number, size: 100, total: 1_300, pages: 13 });
      items.push(...shown);
    }
    expect(items.map(({ key, tokens }) => [key, tokens])).toEqual(expected);
    const beyond = await page('group_by=user&page=14');
    expect(beyond).toEqual({ items: [], pagination: { page: 14, size: 100, total: 1_300, pages: 13 } });
  });

  it('have all of them in the file, in the same order', async () => {
    const rows = (await linesOf(await file('user'))).map((line) => line.split(','));
    expect(rows.map((cells) => [Number(cells[0]), Number(cells[7])])).toEqual(expected);
  });

  it.each(['agent', 'model'])('include every %s', async (groupBy) => {
    expect((await page(`group_by=${groupBy}&page=11`)).pagination).toMatchObject({ total: 1_100, pages: 11 });
    expect(new Set(await linesOf(await file(groupBy))).size).toBe(1_100);
  });

  it('return a failure as an error before the file starts, and cut the file after that', async () => {
    const reading = jest.spyOn(app.app.get(UsageReportQuery), 'batches');
    reading.mockRejectedValueOnce(new Error('disk full'));
    expect((await file('user')).status).toBe(500);
    reading.mockImplementationOnce(() => Promise.resolve(failing()));
    const answer = await file('user');
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('have every group once, in the initial order, whatever is counted while they are read', async () => {
    const database = app.app.get(Database);
    const read: UsageGroup[] = [];
    const query = { from: MONTH, to: NEXT_MONTH, groupBy: 'user' as const };
    const [first, last] = [expected[0]?.[0], expected.at(-1)?.[0]];
    let batches = 0;
    for await (const batch of await app.app.get(UsageReportQuery).batches(query)) {
      expect(batch.length).toBeLessThanOrEqual(500);
      read.push(...batch);
      batches++;
      await database.write(async (manager) => {
        await manager.increment(UsageUserMonthEntity, { userId: last }, 'tokens', 1_000);
        await manager.decrement(UsageUserMonthEntity, { userId: first }, 'tokens', 1);
        await manager.insert(UsageRollupEntity, { userId: read.length, day: DAY, agentId: 1, model: '', tokens: 3 });
      });
    }
    // Other tests read the same rows: they are restored before anything is checked.
    await database.write(async (manager) => {
      await manager.decrement(UsageUserMonthEntity, { userId: last }, 'tokens', 1_000 * batches);
      await manager.increment(UsageUserMonthEntity, { userId: first }, 'tokens', batches);
      await manager.delete(UsageRollupEntity, { userId: LessThan(FIRST_ID) });
    });
    expect(read.map(({ key }) => key)).toEqual(expected.map(([id]) => id));
  });
});

async function* failing(): AsyncGenerator<UsageGroup[]> {
  yield [];
  await Promise.reject(new Error('disk full'));
}
