import { Injectable, StreamableFile } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { type Cell, csvFile, csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { addressOf, ENVIRONMENT_PROVIDER } from '../../../integrations/llm/port/provider-definition';
import { ModelRegistry } from '../../../integrations/llm/providers/model-registry';
import { AgentService } from '../../agent/agent.api';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import { GroupQuery } from '../../group/group.api';
import {
  addTotals,
  CostLedger,
  isByKey,
  NO_TOTALS,
  type ProviderDay,
  ProviderDaysQuery,
  type UsageGroup,
  type UsageGrouping,
  type UsageOrder,
  type UsageReportPage,
  type UsageReportPart,
  UsageReportQuery,
  type UsageReportRequest,
} from '../../usage/usage.api';
import { UserDirectoryQuery, UserService } from '../../user/user.api';
import { focusFile, type FocusNames } from './focus-csv';
import { daysOf, LONGEST_PERIOD_DAYS, reportPeriod } from './period';
import { usageCells, usageColumns } from './usage-csv';
import {
  toUsageTotalsDto,
  UsageRowDto,
  UsageStatisticsQueryDto,
  USER_USAGE_FIELDS,
  UserUsageDto,
  UserUsageQueryDto,
} from './usage-statistics.dto';

type Key = string | number | null;

/**
 * Usage reports. They read sums, so their cost does not grow with the number of messages.
 *
 * Start here in this folder: a report covers a period (`period.ts`), is grouped by day, user, agent, model or API key,
 * filtered and sorted, and is returned as a page or a CSV file (`usage-csv.ts`). `overview.*` has the key figures of
 * the installation.
 */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly reports: UsageReportQuery,
    private readonly agents: AgentService,
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
    private readonly keys: ApiKeyQuery,
    private readonly clock: Clock,
    private readonly ledger: CostLedger,
    private readonly providerDays: ProviderDaysQuery,
    private readonly userGroups: GroupQuery,
    private readonly models: ModelRegistry,
  ) {}

  /**
   * One page of the report, or all of it as a file.
   *
   * @throws InvalidParameterError for an invalid period, or for a combination without sums
   */
  async usage(query: UsageStatisticsQueryDto): Promise<Page<UsageRowDto> | StreamableFile> {
    const request = reportRequest(query, this.clock.now());
    if (query.format === 'focus') {
      return this.focus(request, query);
    }
    return query.format === 'csv' ? this.file(request) : this.page(request, query);
  }

  /** A user's days with their sums, or the days as a file. @throws UserNotFoundError, InvalidParameterError */
  async usageOfUser(userId: number, query: UserUsageQueryDto): Promise<UserUsageDto | StreamableFile> {
    const period = reportPeriod(query, this.clock.now());
    const { id } = await this.users.get(userId);
    const { groups } = await this.days({ ...period, groupBy: 'day', userId: id }, ALL_DAYS);
    const days = groups.map((group) => ({ date: String(group.key), ...toUsageTotalsDto(group) }));
    if (query.format === 'csv') {
      const name = `usage-of-user-${id}-${period.from}-${period.to}`;
      return csvList(name, USER_USAGE_FIELDS, (last) => Promise.resolve(last ? [] : days));
    }
    return {
      ...period,
      currency: this.ledger.currency,
      total: toUsageTotalsDto(groups.reduce(addTotals, NO_TOTALS)),
      days,
    };
  }

  private async page(request: UsageReportRequest, query: UsageStatisticsQueryDto): Promise<Page<UsageRowDto>> {
    const part = partOf(query);
    const { groups, total } =
      request.groupBy === 'day' ? await this.days(request, part) : await this.reports.page(request, part);
    return toPage(await this.named(groups, request.groupBy), total, query);
  }

  /** If the first statement fails, the response is an error. A later failure can only truncate the file. */
  private async file(request: UsageReportRequest): Promise<StreamableFile> {
    const { groupBy, from, to } = request;
    const batches =
      groupBy === 'day' ? [(await this.days(request, ALL_DAYS)).groups] : await this.reports.batches(request);
    const name = `usage-by-${groupBy}-${from}-${to}`;
    return csvFile(name, usageColumns(groupBy), this.cellBatches(batches, groupBy));
  }

  /** Costs in the format of finance systems. */
  private focus(request: UsageReportRequest, query: UsageStatisticsQueryDto): StreamableFile {
    assertKnownOfProviders(query);
    const days = this.providerDays.days(request);
    return focusFile(request, this.ledger.currency, days, (batch) => this.focusNames(batch));
  }

  private async focusNames(days: readonly ProviderDay[]): Promise<FocusNames> {
    const [agents, keys, groups] = await Promise.all([
      this.agents.namesOf([...new Set(days.map(({ agentId }) => agentId))]),
      this.keys.find([...new Set(days.flatMap(({ apiKeyId }) => apiKeyId ?? []))]),
      this.userGroups.namesOf([...new Set(days.flatMap(({ groupIds }) => groupIds))]),
    ]);
    const keyNames = new Map([...keys].map(([id, { name }]) => [id, name]));
    return { provider: (name) => this.providerName(name), agents, keys: keyNames, groups };
  }

  /** The provider of the environment has no name of its own. Its host shows who sends the bill. */
  private providerName(name: string): string {
    const definition = name === ENVIRONMENT_PROVIDER ? this.models.find(name)?.definition : undefined;
    const address = definition && addressOf(definition);
    return address ? new URL(address).hostname : name;
  }

  /** Includes days without usage, so that a chart has no gaps. */
  private async days(request: UsageReportRequest, { offset, limit }: UsageReportPart): Promise<UsageReportPage> {
    const { groups } = await this.reports.page(request, ALL_DAYS);
    const byDay = new Map(groups.map((group) => [group.key, group]));
    const days = daysOf(request).map((key) => byDay.get(key) ?? { ...NO_TOTALS, key });
    return { groups: sorted(days, request.order).slice(offset, offset + limit), total: days.length };
  }

  private async *cellBatches(
    batches: Iterable<UsageGroup[]> | AsyncIterable<UsageGroup[]>,
    groupBy: UsageGrouping,
  ): AsyncGenerator<Cell[][]> {
    for await (const groups of batches) {
      yield (await this.named(groups, groupBy)).map((row) => usageCells(row, groupBy));
    }
  }

  private async named(groups: UsageGroup[], groupBy: UsageGrouping): Promise<UsageRowDto[]> {
    const ids = groups.map(({ key }) => Number(key));
    const keys = groupBy === 'api_key' ? await this.keys.find(ids) : null;
    const names = await this.namesOf(ids, groupBy);
    const { currency } = this.ledger;
    return groups.map((group) => {
      const key = keys?.get(Number(group.key));
      const name = key?.name ?? names.get(group.key) ?? null;
      return {
        key: group.key,
        name,
        ...(keys && { user_id: key?.userId ?? null }),
        ...toUsageTotalsDto(group),
        currency,
      };
    });
  }

  private async namesOf(ids: number[], groupBy: UsageGrouping): Promise<Map<Key, string>> {
    if (groupBy === 'user') {
      return this.directory.usernames(ids);
    }
    if (groupBy === 'agent') {
      return this.agents.namesOf(ids);
    }
    if (groupBy === 'group') {
      return this.userGroups.namesOf(ids);
    }
    return new Map();
  }
}

/** @param days ascending, which is also the order of ties */
function sorted(days: UsageGroup[], { by, direction }: UsageOrder = { by: 'key', direction: 'ASC' }): UsageGroup[] {
  const sign = direction === 'ASC' ? 1 : -1;
  if (by === 'key') {
    return sign === 1 ? days : days.toReversed();
  }
  if (by === 'cost') {
    return days.toSorted((one, other) => sign * compareAmounts(one.cost.amount, other.cost.amount));
  }
  return days.toSorted((one, other) => sign * (toUsageTotalsDto(one)[by] - toUsageTotalsDto(other)[by]));
}

/** A period has few enough days to read all of them at once. */
const ALL_DAYS: UsageReportPart = { offset: 0, limit: LONGEST_PERIOD_DAYS };

function compareAmounts(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Converts a query to a request for stored sums.
 *
 * @throws InvalidParameterError when the period is invalid, or there are no sums for the combination of grouping and
 * filters
 */
function reportRequest(query: UsageStatisticsQueryDto, now: Date): UsageReportRequest {
  const request = {
    ...reportPeriod(query, now),
    groupBy: query.group_by,
    order: query.sort && orderOf(query.sort),
    userId: query.user_id,
    agentId: query.agent_id,
    model: query.model,
    apiKeyId: query.api_key_id,
  };
  if (request.groupBy === 'provider') {
    assertKnownOfProviders(query);
  } else if (isByKey(request)) {
    assertKnownOfKeys(query);
  }
  return request;
}

/** Usage by provider is counted only by day, user and model. */
function assertKnownOfProviders({ agent_id, api_key_id }: UsageStatisticsQueryDto): void {
  refuse(
    [...(agent_id === undefined ? [] : ['agent_id']), ...(api_key_id === undefined ? [] : ['api_key_id'])],
    'not_counted_by_provider',
  );
}

/**
 * Usage by key is counted only by day and owner. Counting it also by agent and model would add a row with each message.
 */
function assertKnownOfKeys({ group_by, agent_id, model }: UsageStatisticsQueryDto): void {
  refuse(
    [
      ...(group_by === 'agent' || group_by === 'model' ? ['group_by'] : []),
      ...(agent_id === undefined ? [] : ['agent_id']),
      ...(model === undefined ? [] : ['model']),
    ],
    'not_counted_by_key',
  );
}

/** @throws InvalidParameterError if there are any fields */
function refuse(fields: string[], reason: string): void {
  const [first, ...others] = fields.map((field) => ({ field, reason }));
  if (first) {
    throw new InvalidParameterError([first, ...others]);
  }
}
