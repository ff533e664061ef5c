import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { type UtcDay, utcDay } from '../../../common/utc-day';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { findRows } from '../../../database/statements/find';
import { execute, runForRow } from '../../../database/statements/run-statement';
import { addSumsToCounters } from '../../../database/statements/upsert-counters';
import { UsageFolding } from '../folding/usage-folding';
import { UsageClosedDayEntity } from './usage-closed-day.entity';
import { SUM_COLUMNS, SUMS } from './usage-totals';
import { utcMonth } from './utc-month';

/** Pause between two checks for days to close. */
const PAUSE_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** How long a day stays open after its end: longer than any transaction or clock error. */
const OPEN_MILLISECONDS = HOUR_MILLISECONDS;

const OLDEST = 'SELECT MIN(day) FROM usage_rollups WHERE day > ? AND day < ?';
const CLOSE = `INSERT INTO usage_closed_days (day, agent_id, model, ${SUM_COLUMNS.join(', ')})
 SELECT day, agent_id, model, ${SUMS} FROM usage_rollups WHERE day = ? GROUP BY day, agent_id, model`;

/**
 * Sums up each day when it is over: once for all users together, and once per user into the user's month. Reports about
 * long periods then read few rows. Messages never wait for it, because it uses different rows. Days are closed in
 * order, so all days after the newest closed day are open. If several instances try, one succeeds.
 */
@Injectable()
export class DayClosingService {
  private readonly logger = new Logger(DayClosingService.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly folding: UsageFolding,
    background: BackgroundWork,
  ) {
    background.add({
      step: async () => ((await this.closeNextDay()) ? 0 : null),
      onError: (error) => this.logger.warn({ error }, 'The usage of a day could not be summed up.'),
      idleMilliseconds: PAUSE_MILLISECONDS,
    });
  }

  /** The newest closed day, or -1 if none is closed. */
  async newestClosedDay(): Promise<UtcDay> {
    const [day] = (await runForRow(this.database.manager, 'SELECT MAX(day) FROM usage_closed_days', [])) ?? [];
    return (day as UtcDay | null | undefined) ?? -1;
  }

  /**
   * Like `newestClosedDay`, within `Database.write`: no further day is closed until the transaction ends, except the
   * first day of an installation.
   */
  async holdNewestClosedDay(manager: EntityManager): Promise<UtcDay> {
    const newest = { order: { day: 'DESC' }, limit: 1, lock: 'wait' } as const;
    const [row] = await findRows(manager, UsageClosedDayEntity, {}, { ...newest, members: ['day'] });
    return row?.day ?? -1;
  }

  /** Closes the oldest day that is over and still open. Returns false if there is none. */
  async closeNextDay(): Promise<boolean> {
    // Rows that an instance wrote before a crash may be a day old.
    await this.folding.foldAll();
    const oldestOpen = utcDay(new Date(this.clock.now().getTime() - OPEN_MILLISECONDS));
    const [day] = (await runForRow(this.database.manager, OLDEST, [await this.newestClosedDay(), oldestOpen])) ?? [];
    return typeof day === 'number' && this.close(day);
  }

  /** Returns false if another instance is still adding rows to the day. The next check tries again. */
  private async close(day: UtcDay): Promise<boolean> {
    try {
      return await this.database.write(async (manager) => {
        // Code that changes sums of days that may be closed locks the same row.
        await this.holdNewestClosedDay(manager);
        if (await this.folding.hasUnsummed(manager, day)) {
          return false;
        }
        await execute(manager, CLOSE, [day]);
        await addSumsToCounters(manager, 'usage_user_months', ['month', 'user_id'], SUM_COLUMNS, {
          statement: `SELECT ? AS month, user_id, ${SUMS} FROM usage_rollups WHERE day = ? GROUP BY user_id`,
          parameters: [utcMonth(day), day],
        });
        return true;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
      return true;
    }
  }
}
