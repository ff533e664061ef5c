import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatDay, parseDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { countRows } from '../../../database/statements/find';
import { readRows } from '../../../database/statements/long-reads';
import { UsageAccountEntity } from '../quota/usage-account.entity';
import { DayClosingService } from './day-closing.service';
import {
  isByKey,
  type UsageGroup,
  type UsageGrouping,
  type UsageOverview,
  type UsageReportPage,
  type UsageReportPart,
  type UsageReportRequest,
} from './usage-report';
import {
  type GroupColumn,
  type GroupKey,
  type ReportStatement,
  UsageReportStatements,
} from './usage-report-statements';
import {
  inGroups,
  sourcesByKey,
  sourcesByProvider,
  sourcesByUser,
  sourcesInDetail,
  sourcesOfAll,
  unsummed,
  type UsageSource,
} from './usage-sources';
import { toUsageTotals, type UsageTotals } from './usage-totals';
import { firstDayOf, utcMonth } from './utc-month';

const COLUMNS: Record<UsageGrouping, GroupColumn> = {
  day: 'day',
  user: 'user_id',
  agent: 'agent_id',
  model: 'model',
  api_key: 'api_key_id',
  provider: 'provider',
  group: 'group_id',
};

/** Groups per batch when all groups are read. */
const GROUPS_PER_BATCH = 500;

/**
 * Usage of all users, for administrators. From the ledger it reads only rows that the sums do not include yet. Reports
 * by day, agent or model read one row per agent and model for each closed day. Reports by user read one row per user
 * for each closed month, unless they are limited to one agent or model. The rest is summed up from the roll-up by day,
 * user, agent and model, which has an index by user. A year with ten million messages (a million rows of the roll-up)
 * takes about 20 ms by day, agent or model.
 *
 * Start here in this folder: `usage-sources.ts` chooses the tables, `usage-report-statements.ts` builds the SQL, and
 * `day-closing.service.ts` fills the tables of closed days and months.
 */
@Injectable()
export class UsageReportQuery {
  constructor(
    private readonly database: Database,
    private readonly closing: DayClosingService,
    private readonly clock: Clock,
  ) {}

  /** A page of the groups, sorted as requested. */
  async page(query: UsageReportRequest, { offset, limit }: UsageReportPart): Promise<UsageReportPage> {
    const report = await this.report(query);
    const rows = await this.read(report.page(offset, limit));
    return {
      groups: rows.map((row) => toGroup(query.groupBy, row)),
      total: rows[0] ? Number(rows[0].at(-1)) : await this.count(report),
    };
  }

  /**
   * All groups in the same order, in batches. The keys of all groups are read first, so that no group is missing or
   * duplicated if usage is counted at the same time. Memory holds all keys and one batch.
   */
  async batches(query: UsageReportRequest): Promise<AsyncGenerator<UsageGroup[]>> {
    const report = await this.report(query);
    const rows = await this.read(report.keys());
    return this.sumUp(
      report,
      rows.map(([key]) => key as GroupKey),
      query.groupBy,
    );
  }

  async overview(): Promise<UsageOverview> {
    const today = utcDay(this.clock.now());
    return {
      total: await this.total(0, today),
      today: await this.total(today, today),
      thisMonth: await this.total(firstDayOf(utcMonth(today)), today),
      activeUsers: {
        today: await this.activeUsers(today),
        last7Days: await this.activeUsers(today - 6),
        last30Days: await this.activeUsers(today - 29),
      },
    };
  }

  private async *sumUp(
    report: UsageReportStatements,
    keys: GroupKey[],
    groupBy: UsageGrouping,
  ): AsyncGenerator<UsageGroup[]> {
    for (let start = 0; start < keys.length; start += GROUPS_PER_BATCH) {
      const batch = keys.slice(start, start + GROUPS_PER_BATCH);
      const rows = await this.read(report.groups(batch));
      const byKey = new Map(rows.map((row) => [row[0], toGroup(groupBy, row)]));
      yield batch.flatMap((key) => byKey.get(key) ?? []);
    }
  }

  private async report(request: UsageReportRequest): Promise<UsageReportStatements> {
    const period = [parseDay(request.from), parseDay(request.to)] as const;
    const found = await this.sources(...period, request);
    const sources = request.groupBy === 'group' ? found.map(inGroups) : found;
    return new UsageReportStatements(COLUMNS[request.groupBy], sources, request, request.order);
  }

  private async sources(from: UtcDay, to: UtcDay, request: UsageReportRequest): Promise<UsageSource[]> {
    if (isByKey(request)) {
      return sourcesByKey(from, to);
    }
    return request.groupBy === 'provider'
      ? sourcesByProvider(from, to)
      : [...(await this.sumSources(from, to, request)), unsummed(from, to)];
  }

  private async sumSources(from: UtcDay, to: UtcDay, request: UsageReportRequest): Promise<UsageSource[]> {
    const { groupBy, userId, agentId, model } = request;
    if (userId !== undefined || ((groupBy === 'user' || groupBy === 'group') && (agentId ?? model) !== undefined)) {
      return sourcesInDetail(from, to);
    }
    const closed = await this.closing.newestClosedDay();
    const isByUser = groupBy === 'user' || groupBy === 'group';
    return isByUser ? sourcesByUser(from, to, closed) : sourcesOfAll(from, to, closed);
  }

  private async count(report: UsageReportStatements): Promise<number> {
    const [row] = await this.read(report.count());
    return Number(row?.[0] ?? 0);
  }

  private async total(from: UtcDay, to: UtcDay): Promise<UsageTotals> {
    const sources = [...sourcesOfAll(from, to, await this.closing.newestClosedDay()), unsummed(from, to)];
    const [row] = await this.read(new UsageReportStatements(COLUMNS.day, sources).total());
    return toUsageTotals(row);
  }

  /** Reports over many users read many rows. On SQLite this does not block other requests. */
  private read({ sql, values }: ReportStatement): Promise<unknown[][]> {
    return readRows(this.database, sql, values);
  }

  private activeUsers(since: UtcDay): Promise<number> {
    return countRows(this.database.manager, UsageAccountEntity, { day: MoreThanOrEqual(since) });
  }
}

function toGroup(groupBy: UsageGrouping, [key, ...sums]: unknown[]): UsageGroup {
  return { key: toKey(groupBy, key as GroupKey), ...toUsageTotals(sums) };
}

function toKey(groupBy: UsageGrouping, key: GroupKey): UsageGroup['key'] {
  if (groupBy === 'day') {
    return formatDay(Number(key));
  }
  // Models that administrators try without an agent belong to no agent, and some users are in no group.
  const isOfNone = key === '' || ((groupBy === 'agent' || groupBy === 'group') && Number(key) === 0);
  return isOfNone ? null : key;
}
