import type { Order } from '../../../common/envelope/sort';
import { COUNT_COLUMNS, type UsageTotals } from './usage-totals';

export const USAGE_GROUPINGS = ['day', 'user', 'agent', 'model', 'api_key', 'provider', 'group'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Sort fields of groups: the key or one of the sums. */
export const USAGE_SORT_FIELDS = ['key', ...COUNT_COLUMNS, 'cost', 'unpriced', 'requests'] as const;
export type UsageOrder = Order<(typeof USAGE_SORT_FIELDS)[number]>;

/** Filters of a report. An absent field does not filter. Sums by key cannot be split by agent or model. */
export interface UsageFilter {
  userId?: number;
  agentId?: number;
  /** Users' messages and created chats have no model. */
  model?: string;
  apiKeyId?: number;
}

/** Period, grouping and filters of a report. */
export interface UsageReportRequest extends UsageFilter {
  /** First UTC day, `YYYY-MM-DD`. */
  from: string;
  /** Last UTC day, inclusive, not before `from`. */
  to: string;
  groupBy: UsageGrouping;
  /** If absent, days are sorted ascending, and other groups by tokens descending. */
  order?: UsageOrder;
}

/** Only the sums by key distinguish API keys, and they do not distinguish agents or models. */
export function isByKey({ groupBy, apiKeyId }: Pick<UsageReportRequest, 'groupBy' | 'apiKeyId'>): boolean {
  return groupBy === 'api_key' || apiKeyId !== undefined;
}

/**
 * Usage of one group: a day (`YYYY-MM-DD`), the id of a user, agent or API key, or a model (null for chats and users'
 * messages).
 */
export interface UsageGroup extends UsageTotals {
  key: string | number | null;
}

/** A page of the sorted groups. */
export interface UsageReportPart {
  offset: number;
  limit: number;
}

export interface UsageReportPage {
  groups: UsageGroup[];
  /** Total number of groups. */
  total: number;
}

export interface UsageOverview {
  total: UsageTotals;
  today: UsageTotals;
  /** Since the first day of the current UTC month. */
  thisMonth: UsageTotals;
  /** Users who sent a message today, and in the last 7 and 30 UTC days. */
  activeUsers: { today: number; last7Days: number; last30Days: number };
}
