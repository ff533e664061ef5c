import { type UsageTotalsDto } from './usage-statistics.dto';

/** Users who sent a message. */
export class ActiveUsersDto {
  /** On the current UTC day. @example 17 */
  today: number;

  /** On the current UTC day and the six days before. @example 64 */
  last_7_days: number;

  /** On the current UTC day and the 29 days before. @example 150 */
  last_30_days: number;
}

/** Numbers of open accounts. */
export class UserCountsDto {
  /** All accounts. @example 420 */
  total: number;

  /** Accounts of type `admin`. @example 2 */
  administrators: number;

  /** Accounts with an active paid plan. @example 37 */
  paid: number;

  /** Accounts with an active ban. @example 1 */
  banned: number;
}

/** Usage of the installation on one UTC day. */
export class OverviewDayDto {
  /** `YYYY-MM-DD`. @example "2026-07-31" */
  date: string;

  /** Accounts created on this day, including those closed since. @example 3 */
  new_users: number;

  /** Users who sent a message. @example 17 */
  active_users: number;

  /** Stored messages, both users' messages and replies. @example 128 */
  messages: number;

  /** Tokens of prompts and replies. @example 51234 */
  tokens: number;

  /** Stored replies, including failed ones. @example 64 */
  replies: number;

  /** Failed replies. @example 1 */
  failed_replies: number;

  /** Cost of the day's model requests that have a price. Null if none has one. @example "1.234567" */
  cost: string | null;

  /** Model requests without a price. @example 0 */
  unpriced: number;

  /** Median time to the first token in milliseconds, within 10 %. Null if there were no replies. @example 420 */
  first_token_p50_ms: number | null;

  /** 95th percentile of the time to the first token in milliseconds. Null if there were no replies. @example 1350 */
  first_token_p95_ms: number | null;
}

/** Replies by time to the first token. */
export class FirstTokenClassDto {
  /**
   * Upper bound in milliseconds, inclusive. The class starts at the previous one's bound. Null for the last class,
   * which has no bound.
   * @example 532
   */
  up_to_ms: number | null;

  /** Number of replies in this class. @example 21 */
  replies: number;
}

/** Key figures of the installation. */
export class OverviewDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;

  /** Usage since the installation was set up. Deleting chats or accounts does not reduce it. */
  total: UsageTotalsDto;

  /** Usage on the current UTC day. */
  today: UsageTotalsDto;

  /** Usage since the first day of the current UTC month, including today. */
  this_month: UsageTotalsDto;

  /** Users who sent a message, by period. */
  active_users: ActiveUsersDto;

  /** Open accounts by type. */
  users: UserCountsDto;

  /** The last 30 UTC days in ascending order, including days without usage. The last one is today. */
  days: OverviewDayDto[];

  /** Time to the first token in these 30 days, always in the same 28 classes, ascending. */
  first_token_histogram: FirstTokenClassDto[];
}
