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

/** The installation at a glance. */
export class OverviewDto {
  /** Since the beginning; deleting chats or accounts does not lower it. */
  total: UsageTotalsDto;

  /** On the present UTC day. */
  today: UsageTotalsDto;

  /** Users who sent a message, by period. */
  active_users: ActiveUsersDto;

  /** Accounts that are not closed, by kind. */
  users: UserCountsDto;
}
