import { type UsageTotalsDto } from './usage-statistics.dto';

/** Users who sent a message. */
export class ActiveUsersDto {
  /** On the present UTC day. @example 17 */
  today: number;

  /** On this day and the six before. @example 64 */
  last_7_days: number;

  /** On this day and the 29 before. @example 150 */
  last_30_days: number;
}

/** Accounts that are not closed. */
export class UserCountsDto {
  /** All of them. @example 420 */
  total: number;

  /** Of type `admin`. @example 2 */
  administrators: number;

  /** With a paid plan that has not ended. @example 37 */
  paid: number;

  /** With a ban in force. @example 1 */
  banned: number;
}

/** One UTC day of the installation. */
export class OverviewDayDto {
  /** `YYYY-MM-DD`. @example "2026-07-31" */
  date: string;

  /** Accounts made on this day, those closed since included. @example 3 */
  new_users: number;

  /** Users who sent a message. @example 17 */
  active_users: number;

  /** Messages stored, users' and replies. @example 128 */
  messages: number;

  /** Tokens of prompts and replies. @example 51234 */
  tokens: number;

  /** Replies stored, failed ones included. @example 64 */
  replies: number;

  /** Replies that ended in a failure. @example 1 */
  failed_replies: number;

  /** What the day's requests to models cost that have a price; null: none has. @example "1.234567" */
  cost: string | null;

  /** Requests to models that have no price. @example 0 */
  unpriced: number;

  /** Half of the replies began within this time, exact to 10 %; null: there was none. @example 420 */
  first_token_p50_ms: number | null;

  /** 95 % of the replies began within this time; null: there was none. @example 1350 */
  first_token_p95_ms: number | null;
}

/** Replies by their time to the first token. */
export class FirstTokenClassDto {
  /** Milliseconds, included; it begins where the class before ends. Null in the last one: no bound. @example 532 */
  up_to_ms: number | null;

  /** Replies in it. @example 21 */
  replies: number;
}

/** The installation at a glance. */
export class OverviewDto {
  /** ISO 4217 code of the currency of costs. @example "USD" */
  currency: string;

  /** Since the beginning; deleting chats or accounts does not lower it. */
  total: UsageTotalsDto;

  /** On the present UTC day. */
  today: UsageTotalsDto;

  /** Since the first day of the present UTC month, today included. */
  this_month: UsageTotalsDto;

  /** Users who sent a message, by period. */
  active_users: ActiveUsersDto;

  /** Accounts that are not closed, by kind. */
  users: UserCountsDto;

  /** The last 30 UTC days, ascending, also those on which nothing happened; the last one is today. */
  days: OverviewDayDto[];

  /** How long users waited for the first token in these 30 days: always the same 28 classes, ascending. */
  first_token_histogram: FirstTokenClassDto[];
}
