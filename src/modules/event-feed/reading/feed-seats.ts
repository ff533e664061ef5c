import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { databaseLater, databaseNow } from '../../../database/connection/database-clock';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { execute } from '../../../database/statements/run-statement';
import { TooManyFeedsError } from '../event-feed.errors';
import { FeedSeatEntity } from './feed-seat.entity';

/** Most open feeds of a user, on all instances together. */
export const MOST_FEEDS = 5;

/** How long the feeds of an instance that died still count. */
const LEASE_SECONDS = 20;

/** How often an instance renews the leases of its feeds. */
export const RENEWAL_MILLISECONDS = 5_000;

/** Counts the open feeds of users. */
@Injectable()
export class FeedSeats {
  private readonly owner = randomUUID();

  constructor(private readonly database: Database) {
    database.onReady(() => this.clearThoseOfPredecessor());
  }

  /** Takes a seat and returns its id. @throws TooManyFeedsError */
  async take(userId: number): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.database.write((manager) => this.sit(manager, userId));
      } catch (error) {
        // Another request took the same slot, which can happen as often as there are slots.
        if (!isUniqueViolation(error) || attempt > MOST_FEEDS) {
          throw isUniqueViolation(error) ? new TooManyFeedsError(MOST_FEEDS) : error;
        }
      }
    }
  }

  async leave(id: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, FeedSeatEntity, { id }));
  }

  /** Renews the leases of this instance's feeds. With SQLite there are no other instances. */
  async renew(): Promise<void> {
    if (this.database.isShared) {
      await this.database.write((manager) =>
        execute(
          manager,
          `UPDATE feed_seats SET leased_until = ${databaseLater(manager, LEASE_SECONDS)} WHERE owner = ?`,
          [this.owner],
        ),
      );
    }
  }

  private async sit(manager: EntityManager, userId: number): Promise<number> {
    if (this.database.isShared) {
      await deleteRows(manager, FeedSeatEntity, `user_id = ? AND leased_until <= ${databaseNow(manager)}`, [userId]);
    }
    const taken = await findRows(manager, FeedSeatEntity, { userId }, { members: ['slot'] });
    const slots = Array.from({ length: MOST_FEEDS }, (_element, index) => index + 1);
    const slot = slots.find((one) => !taken.some((seat) => seat.slot === one));
    if (slot === undefined) {
      throw new TooManyFeedsError(MOST_FEEDS);
    }
    await execute(
      manager,
      `INSERT INTO feed_seats (user_id, slot, owner, leased_until) VALUES (?, ?, ?, ${databaseLater(manager, LEASE_SECONDS)})`,
      [userId, slot, this.owner],
    );
    const seat = await findRow(manager, FeedSeatEntity, { userId, slot }, { members: ['id'] });
    return seat?.id ?? 0;
  }

  /** A SQLite file belongs to one process, so seats of an earlier process are stale. */
  private async clearThoseOfPredecessor(): Promise<void> {
    if (!this.database.isShared) {
      await this.database.write((manager) => deleteRows(manager, FeedSeatEntity, {}));
    }
  }
}
