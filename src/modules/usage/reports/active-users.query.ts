import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { UNSUMMED } from '../folding/unsummed-usage';
import { DayClosingService } from './day-closing.service';

/** Most cached days, which is more than any report needs. */
const MOST_DAYS = 400;

/** Days per statement. The number is small so that other long reads get their turn. */
const DAYS_AT_ONCE = 10;

/** `UNION` removes duplicates, so that each user of a day counts once. */
const usersOfDays = (days: string): string => `
  SELECT day, COUNT(*) FROM (
    SELECT day, user_id FROM usage_rollups WHERE day IN (${days}) AND user_messages > 0
    UNION
    SELECT day, user_id FROM (${UNSUMMED}) AS unsummed_usage WHERE day IN (${days}) AND user_messages > 0
  ) AS active GROUP BY day`;

/**
 * Counts the users who sent a message on a day, from rows of the roll-up. A closed day no longer changes, so its count
 * is cached.
 */
@Injectable()
export class ActiveUsersQuery {
  private readonly closedDays = new Map<UtcDay, number>();

  constructor(
    private readonly database: Database,
    private readonly closing: DayClosingService,
  ) {}

  async ofDays(days: UtcDay[]): Promise<Map<UtcDay, number>> {
    const closed = await this.closing.newestClosedDay();
    const unknown = days.filter((day) => !this.closedDays.has(day));
    const counted = new Map<UtcDay, number>();
    for (let start = 0; start < unknown.length; start += DAYS_AT_ONCE) {
      for (const [day, users] of await this.count(unknown.slice(start, start + DAYS_AT_ONCE))) {
        counted.set(day, users);
      }
    }
    const counts = new Map(days.map((day) => [day, this.closedDays.get(day) ?? counted.get(day) ?? 0]));
    unknown.filter((day) => day <= closed).forEach((day) => this.remember(day, counts.get(day) ?? 0));
    return counts;
  }

  /** Days without active users are absent. */
  private async count(days: UtcDay[]): Promise<[UtcDay, number][]> {
    const rows = await readRows(this.database, usersOfDays(days.map(() => '?').join(', ')), [...days, ...days]);
    return rows.map(([day, users]) => [Number(day), Number(users)]);
  }

  private remember(day: UtcDay, users: number): void {
    this.closedDays.set(day, users);
    if (this.closedDays.size > MOST_DAYS) {
      this.closedDays.delete(Math.min(...this.closedDays.keys()));
    }
  }
}
