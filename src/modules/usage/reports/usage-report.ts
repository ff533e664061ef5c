import type { UsageTotals } from './usage-totals';

export const USAGE_GROUPINGS = ['day', 'user', 'agent', 'model', 'api_key'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** What a report covers. */
export interface UsageReportRequest {
  /** First UTC day, `YYYY-MM-DD`. */
  from: string;
  /** Last UTC day, included; not before `from`. */
  to: string;
  groupBy: UsageGrouping;
  /** Only this user's usage, if given. */
  userId?: number;
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
  /** Users who sent a message today, and in the last 7 and 30 UTC days. */
  activeUsers: { today: number; last7Days: number; last30Days: number };
}
