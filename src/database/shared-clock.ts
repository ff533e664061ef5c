import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { gauge } from '../common/metrics/metrics';
import { SECOND_MILLISECONDS } from '../common/time';
import { Database } from './database';

/** A difference up to this is no fault: networks have delays, and leases last far longer. */
const TOLERATED_MILLISECONDS = 1_000;

/** A slower answer is too inaccurate. */
const LONGEST_ANSWER_MILLISECONDS = 2_000;

/**
 * The time for everything on which instances must agree: which instances are alive, how long an instance owns work, and
 * since when data to be erased has been unused. It is the database's time, so that an instance with a wrong clock
 * neither ends the work of others, nor repeats it, nor erases too early. All other times are those of `Clock`. Reading
 * it costs no statement, because each sign of life compares the clocks.
 *
 * On SQLite there is one instance, and both clocks are the same.
 */
@Injectable()
export class SharedClock {
  /**
   * Milliseconds between the database's time and the monotonic clock, which changes of the system's time do not affect.
   */
  private databaseOffset: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    database.onReady(() => this.compare(database.manager));
    gauge(
      'database_clock_skew_seconds',
      'How far the clock of this instance is ahead of that of the database',
      () => this.skewMilliseconds / SECOND_MILLISECONDS,
    );
  }

  /** How far the clock of this instance is ahead of that of the database, in milliseconds. */
  get skewMilliseconds(): number {
    return 0 - this.lead;
  }

  now(): Date {
    const { lead } = this;
    const now = this.clock.now();
    return Math.abs(lead) <= TOLERATED_MILLISECONDS ? now : new Date(now.getTime() + lead);
  }

  /** Compares the clock with the time of the database. */
  async compare(manager: EntityManager): Promise<void> {
    if (!this.database.isShared) {
      return;
    }
    const askedAt = performance.now();
    const [row] = await manager.query<{ now: string }[]>('SELECT ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS now');
    const answeredAt = performance.now();
    if (this.databaseOffset === null || answeredAt - askedAt <= LONGEST_ANSWER_MILLISECONDS) {
      this.databaseOffset = Number(row?.now) - (askedAt + answeredAt) / 2;
    }
  }

  /** Milliseconds by which the database is ahead of this machine. */
  private get lead(): number {
    return this.databaseOffset === null ? 0 : this.databaseOffset + performance.now() - Date.now();
  }
}
