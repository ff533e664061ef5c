import type { Order } from '../../../common/envelope/sort';
import { COUNT_COLUMNS, type UsageTotals } from '../sums/usage-totals';

export const USAGE_GROUPINGS = ['day', 'user', 'agent', 'model', 'api_key', 'provider', 'group'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** What groups can be sorted by: their key, or one of their sums. */
export const USAGE_SORT_FIELDS = ['key', ...COUNT_COLUMNS, 'cost', 'unpriced', 'requests'] as const;
export type UsageOrder = Order<(typeof USAGE_SORT_FIELDS)[number]>;

/** Whose usage, and of what; an absent field filters nothing. A key has no sums by agent or model. */
export interface UsageFilter {
  userId?: number;
  agentId?: number;
  /** Users' messages and created chats have none. */
  model?: string;
  apiKeyId?: number;
}

/** What a report covers. */
export interface UsageReportRequest extends UsageFilter {
  /** First UTC day, `YYYY-MM-DD`. */
  from: string;
  /** Last UTC day, included; not before `from`. */
  to: string;
  groupBy: UsageGrouping;
  /** Absent: days ascending, other groups by their tokens, most first. */
  order?: UsageOrder;
}

/** Only some sums tell API keys apart, and they tell neither agents nor models apart. */
export function isByKey({ groupBy, apiKeyId }: Pick<UsageReportRequest, 'groupBy' | 'apiKeyId'>): boolean {
  return groupBy === 'api_key' || apiKeyId !== undefined;
}

/** Usage of one group: a day (`YYYY-MM-DD`), the id of a user, agent or API key, or a model (null: chats and users' messages). */
export interface UsageGroup extends UsageTotals {
  key: string | number | null;
}

/** Which part of the ordered groups. */
export interface UsageReportPart {
  offset: number;
  limit: number;
}

export interface UsageReportPage {
  groups: UsageGroup[];
  /** How many groups there are in all. */
  total: number;
}

export interface UsageOverview {
  total: UsageTotals;
  today: UsageTotals;
  /** Since the first day of the present UTC month. */
  thisMonth: UsageTotals;
  /** Users who sent a message today, and in the last 7 and 30 UTC days. */
  activeUsers: { today: number; last7Days: number; last30Days: number };
}
