import { Injectable } from '@nestjs/common';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { Writability } from '../../../database/writability';
import { ReplyRegistry } from '../running/reply-registry';
import { ReplyOwnerEntity } from './reply-owner.entity';

/** An instance that gave no sign of life for this time is dead. */
export const OWNER_LEASE_MILLISECONDS = 10_000;

/** Rows of dead instances are removed after this time; by then all their replies have ended. */
const FORGET_MILLISECONDS = DAY_MILLISECONDS;

/** Id. */
const OWNER = new RowQuery(ReplyOwnerEntity, ({ id }) => `WHERE ${id} = ?`, ['seenAt']);

/**
 * Signs of life: instances that share a database know by them which of them died, and each instance knows by its own whether
 * the database takes writes. Their times are those of the database, whatever the clocks of the instances say.
 */
@Injectable()
export class InstanceHeartbeat {
  private lastSeenAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly writability: Writability,
    private readonly registry: ReplyRegistry,
  ) {}

  /**
   * Tells the others that this instance lives. False when the sign before was too long ago: then the database was away,
   * for the others too, and their silence means nothing.
   */
  async signOfLife(): Promise<boolean> {
    const { ownerId } = this.registry;
    await this.writability.watch(() =>
      this.database.write(async (manager) => {
        await this.clock.compare(manager);
        const seenAt = this.clock.now();
        if ((await updateRows(manager, ReplyOwnerEntity, { seenAt }, { id: ownerId })) === 0) {
          await insertRow(manager, ReplyOwnerEntity, { id: ownerId, seenAt });
        }
      }),
    );
    const isFresh = performance.now() - this.lastSeenAt < OWNER_LEASE_MILLISECONDS;
    this.lastSeenAt = performance.now();
    return isFresh;
  }

  /** When an instance gave its last sign of life; null: nothing is known of it. */
  async seenAt(ownerId: string | null): Promise<Date | null> {
    const owner = ownerId === null ? null : await OWNER.first(this.database.manager, [ownerId]);
    return owner?.seenAt ?? null;
  }

  /** Instances seen since this time live. */
  get lifeLimit(): Date {
    return new Date(this.clock.now().getTime() - OWNER_LEASE_MILLISECONDS);
  }

  /** Removes rows of instances that ended long ago; where the data has one process at a time, of all others. */
  async forgetOld(): Promise<void> {
    const age = this.database.isShared ? FORGET_MILLISECONDS : 0;
    const seenAt = new Date(this.clock.now().getTime() - age);
    await this.database.write((manager) => deleteRows(manager, ReplyOwnerEntity, 'seen_at < ?', [seenAt]));
  }
}
