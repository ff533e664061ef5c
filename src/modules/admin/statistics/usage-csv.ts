import type { Cell } from '../../../common/csv/csv';
import { NO_TOTALS, type UsageGrouping } from '../../usage/usage.api';
import { toUsageTotalsDto, type UsageRowDto, type UsageTotalsDto } from './usage-statistics.dto';

const KEY_NAMES: Record<UsageGrouping, string> = { day: 'day', user: 'user_id', agent: 'agent_id', model: 'model' };

const SUM_NAMES = Object.keys(toUsageTotalsDto(NO_TOTALS)) as (keyof UsageTotalsDto)[];

/** The columns of the report as a file. */
export function usageColumns(grouping: UsageGrouping): string[] {
  return [KEY_NAMES[grouping], 'name', ...SUM_NAMES];
}

/** A row of the report in these columns. */
export function usageCells(row: UsageRowDto): Cell[] {
  return [row.key, row.name, ...SUM_NAMES.map((name) => row[name])];
}
