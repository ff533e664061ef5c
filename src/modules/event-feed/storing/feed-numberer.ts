import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { Lifecycle } from '../../../common/lifecycle';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { databaseLater, databaseNow } from '../../../database/connection/database-clock';
import { Database } from '../../../database/database';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { rowsById } from '../../../database/statements/rows-by-id';
import { execute, executeOnce } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { FeedCounterEntity } from './feed-counter.entity';
import { FeedEventEntity } from './feed-event.entity';

/** Events numbered in one transaction. */
const BATCH = 256;

/** How long an instance keeps the lease after it assigned numbers. */
const LEASE_SECONDS = 5;

/** How often the leaseholder checks for events of instances that cannot notify it. */
const LOOK_MILLISECONDS = SECOND_MILLISECONDS;

/** How long to wait for the number of an event. */
const PATIENCE_MILLISECONDS = 10_000;

/** Notification that events wait for numbers. */
const WAITING_CHANNEL = 'feed.waiting';

/** Notification that events got numbers. */
const NUMBERED_CHANNEL = 'feed.numbered';

const WAITING = { number: IsNull() };

/**
 * Assigns events their places in the feed, after their commit and in one order, so that a reader who has read up to a
 * number has missed nothing before it. One instance at a time does so: it holds a lease, by the clock of the database.
 * The lease only saves the other instances the attempt. The row of the counter, locked until the commit, guarantees the
 * order.
 */
@Injectable()
export class FeedNumberer {
  private readonly logger = new Logger(FeedNumberer.name);
  private readonly owner = randomUUID();
  private readonly loop: BackgroundLoop;
  private readonly listeners = new Set<() => void>();
  /** Until when this instance holds the lease at most, in milliseconds of the monotonic clock. */
  private leasedUntil = -Infinity;
  private isWoken = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly redis: RedisConnection,
    background: BackgroundWork,
    lifecycle: Lifecycle,
  ) {
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'Events could not be numbered.'),
    });
    redis.subscribe(WAITING_CHANNEL, () => this.loop.wake());
    redis.subscribe(NUMBERED_CHANNEL, () => this.listeners.forEach((listener) => listener()));
    database.onReady(() => this.endLeaseOfPredecessor());
    lifecycle.onDrain(() => this.giveUp());
  }

  /** Call it when events of this instance wait for numbers. */
  wake(): void {
    this.isWoken = true;
    this.loop.wake();
  }

  /**
   * Call it when a feed waits for events, so that events of instances that died need not wait only for their leases.
   */
  look(): void {
    this.loop.wake();
  }

  /** Calls `listener` when events on any instance got numbers. For other instances, only while Redis is up. */
  onNumbered(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** The number of the event, once it has one. @throws ServiceUnavailableError after ten seconds */
  async numberOf(id: number): Promise<number> {
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    this.wake();
    while (performance.now() < deadline) {
      const event = await findRow(this.database.manager, FeedEventEntity, { id }, { members: ['number'] });
      if (event !== null && event.number !== null) {
        return event.number;
      }
      await this.nextNumbers();
    }
    throw new ServiceUnavailableError();
  }

  /** The last assigned number. */
  async last(): Promise<number> {
    const counter = await findRow(this.database.manager, FeedCounterEntity, { name: 'numbers' });
    return counter?.value ?? 0;
  }

  /** Resolves when events got numbers, or after a short time. */
  private nextNumbers(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.listeners.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, LOOK_MILLISECONDS / 10);
      this.listeners.add(settle);
    });
  }

  private async step(): Promise<number | null> {
    const isOwn = this.isWoken;
    this.isWoken = false;
    if (!(await rowExists(this.database.manager, FeedEventEntity, WAITING))) {
      return performance.now() < this.leasedUntil ? LOOK_MILLISECONDS : null;
    }
    const numbered = await this.database.write((manager) => this.number(manager));
    if (numbered === null) {
      if (isOwn) {
        this.redis.publish(WAITING_CHANNEL, '');
      }
      return LOOK_MILLISECONDS;
    }
    this.leasedUntil = performance.now() + LEASE_SECONDS * SECOND_MILLISECONDS;
    this.redis.publish(NUMBERED_CHANNEL, '');
    return numbered === BATCH ? 0 : LOOK_MILLISECONDS;
  }

  /** Numbers a batch, and returns how many events it had; null while another instance holds the lease. */
  private async number(manager: EntityManager): Promise<number | null> {
    if (!(await this.takeLease(manager))) {
      return null;
    }
    const options = { members: ['id'], order: { id: 'ASC' }, limit: BATCH } as const;
    const ids = (await findRows(manager, FeedEventEntity, WAITING, options)).map(({ id }) => id);
    const [first, last] = [ids[0], ids.at(-1)];
    if (first === undefined || last === undefined) {
      return 0;
    }
    const counter = await findRow(manager, FeedCounterEntity, { name: 'numbers' });
    // Not less than the time, so that numbers are not reused after a backup is restored.
    const next = Math.max((counter?.value ?? 0) + 1, this.clock.now().getTime());
    const { update } = rowsById(manager, 'feed_events', 'id', ids);
    await executeOnce(manager, update('number = id + ?'), [next - first]);
    await updateRows(manager, FeedCounterEntity, { value: last + next - first }, { name: 'numbers' });
    return ids.length;
  }

  private async takeLease(manager: EntityManager): Promise<boolean> {
    const [now, later] = [databaseNow(manager), databaseLater(manager, LEASE_SECONDS)];
    const isFree = `owner IS NULL OR owner = ? OR leased_until <= ${now}`;
    const { affected } = await execute(
      manager,
      `UPDATE feed_counters SET owner = ?, leased_until = ${later} WHERE name = 'numbers' AND (${isFree})`,
      [this.owner, this.owner],
    );
    return affected > 0;
  }

  private async giveUp(): Promise<void> {
    await this.loop.stop();
    if (performance.now() < this.leasedUntil && this.database.isReady) {
      await this.database.write((manager) =>
        updateRows(manager, FeedCounterEntity, { owner: null }, { name: 'numbers', owner: this.owner }),
      );
    }
  }

  /** A SQLite file belongs to one process, so a lease of an earlier process is stale. */
  private async endLeaseOfPredecessor(): Promise<void> {
    if (!this.database.isShared) {
      await this.database.write((manager) =>
        updateRows(manager, FeedCounterEntity, { owner: null }, { name: 'numbers' }),
      );
    }
  }
}
