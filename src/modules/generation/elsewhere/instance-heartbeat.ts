import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { ReplyRegistry } from '../running/reply-registry';
import { ReplyOwnerEntity } from './reply-owner.entity';

/** An instance that gave no sign of life for this time is dead. */
export const OWNER_LEASE_MILLISECONDS = 10_000;

/** Rows of dead instances are removed after this time; by then all their replies have ended. */
const FORGET_MILLISECONDS = DAY_MILLISECONDS;

/** Id. */
const OWNER = new RowQuery(ReplyOwnerEntity, ({ id }) => `WHERE ${id} = ?`, ['seenAt']);

/** Signs of life: instances that share a database know by them which of them died. */
@Injectable()
export class InstanceHeartbeat {
  private lastSeenAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
  ) {}

  /**
   * Tells the others that this instance lives. False when the sign before was too long ago: then the database was away,
   * for the others too, and their silence means nothing.
   */
  async signOfLife(): Promise<boolean> {
    const seenAt = this.clock.now();
    const { ownerId } = this.registry;
    await this.database.write(async (manager) => {
      if ((await updateRows(manager, ReplyOwnerEntity, { seenAt }, { id: ownerId })) === 0) {
        await insertRow(manager, ReplyOwnerEntity, { id: ownerId, seenAt });
      }
    });
    const isFresh = performance.now() - this.lastSeenAt < OWNER_LEASE_MILLISECONDS;
    this.lastSeenAt = performance.now();
    return isFresh;
  }

  /** When an instance gave its last sign of life; null: nothing is known of it. */
  async seenAt(ownerId: string | null): Promise<Date | null> {
    const owner = ownerId === null ? null : await OWNER.first(this.database.manager, [ownerId]);
    return owner?.seenAt ?? null;
  }

  /** Removes rows of instances that ended long ago. */
  async forgetOld(): Promise<void> {
    const seenAt = new Date(this.clock.now().getTime() - FORGET_MILLISECONDS);
    await this.database.write((manager) => deleteRows(manager, ReplyOwnerEntity, 'seen_at < ?', [seenAt]));
  }
}
