import type { Cell } from '../../../common/csv/csv';
import { NO_TOTALS, type UsageGrouping } from '../../usage/usage.api';
import { toUsageTotalsDto, type UsageRowDto, type UsageTotalsDto } from './usage-statistics.dto';

const KEY_NAMES: Record<UsageGrouping, string> = {
  day: 'day',
  user: 'user_id',
  agent: 'agent_id',
  model: 'model',
  api_key: 'api_key_id',
  provider: 'provider',
  group: 'group_id',
};

const SUM_NAMES = Object.keys(toUsageTotalsDto(NO_TOTALS)) as (keyof UsageTotalsDto)[];

/** Columns of the CSV file of the report. */
export function usageColumns(grouping: UsageGrouping): string[] {
  return [KEY_NAMES[grouping], 'name', ...ownerColumns(grouping), ...SUM_NAMES];
}

/** A row of the report as cells of these columns. */
export function usageCells(row: UsageRowDto, grouping: UsageGrouping): Cell[] {
  const owner = ownerColumns(grouping).map((name) => row[name] ?? null);
  return [row.key, row.name, ...owner, ...SUM_NAMES.map((name) => row[name])];
}

/** Only API keys have owners. */
function ownerColumns(grouping: UsageGrouping): 'user_id'[] {
  return grouping === 'api_key' ? ['user_id'] : [];
}
