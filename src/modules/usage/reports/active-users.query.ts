import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/read-apart';
import { UNSUMMED } from '../folding/unsummed-usage';
import { DayClosingService } from './day-closing.service';

/** Days that are remembered: more than any report asks for. */
const MOST_DAYS = 400;

const USERS_OF_DAY = `
  SELECT COUNT(DISTINCT user_id) FROM (
    SELECT user_id FROM usage_rollups WHERE day = ? AND user_messages > 0
    UNION ALL
    SELECT user_id FROM (${UNSUMMED}) AS unsummed_usage WHERE day = ? AND user_messages > 0
  ) AS active`;

/**
 * How many users sent a message on a day. It counts rows of the roll-up, which has some for each user. A closed day does not
 * change any more, so it is counted once and remembered.
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
    const counts = new Map<UtcDay, number>();
    // One after another, so that other long reads take turns with these.
    for (const day of days) {
      counts.set(day, this.closedDays.get(day) ?? (await this.count(day, day <= closed)));
    }
    return counts;
  }

  private async count(day: UtcDay, isClosed: boolean): Promise<number> {
    const [row] = await readRows(this.database, USERS_OF_DAY, [day, day]);
    const users = Number(row?.[0]);
    if (isClosed) {
      this.remember(day, users);
    }
    return users;
  }

  private remember(day: UtcDay, users: number): void {
    this.closedDays.set(day, users);
    if (this.closedDays.size > MOST_DAYS) {
      this.closedDays.delete(Math.min(...this.closedDays.keys()));
    }
  }
}
