import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { gauge } from '../common/metrics/metrics';
import { SECOND_MILLISECONDS } from '../common/time';
import { Database } from './database';

/** A difference up to this is no fault: a network takes its time, and leases last far longer. */
const TOLERATED_MILLISECONDS = 1_000;

/** An answer that took longer says too little about the time. */
const LONGEST_ANSWER_MILLISECONDS = 2_000;

/**
 * The time for what instances must agree on: who lives, until when work is somebody's, and since when nobody needs what is to be
 * erased. It is the database's, so an instance whose clock is wrong neither ends what others do, nor does it twice, nor erases
 * too early. All other times are those of `Clock`. To read it costs no statement: each sign of life compares it.
 *
 * On SQLite there is one instance, and the two are the same.
 */
@Injectable()
export class SharedClock {
  /** Milliseconds between the database's time and the monotonic clock, which no change of the system's time moves. */
  private databaseOffset: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    database.onReady(() => this.compare(database.manager));
    gauge(
      'database_clock_skew_seconds',
      'How far the clock of this instance is ahead of that of the database',
      () => 0 - this.lead / SECOND_MILLISECONDS,
    );
  }

  now(): Date {
    const { lead } = this;
    const now = this.clock.now();
    return Math.abs(lead) <= TOLERATED_MILLISECONDS ? now : new Date(now.getTime() + lead);
  }

  /** Asks the database for its time. */
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
