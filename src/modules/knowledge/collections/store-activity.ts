import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';

type Active = Pick<KnowledgeStoreEntity, 'id' | 'lastActiveAt'>;

/** When a collection expires that is active now. */
export function expiryOf(expiresAfterDays: number | null, lastActiveAt: Date): Date | null {
  return expiresAfterDays === null ? null : new Date(lastActiveAt.getTime() + expiresAfterDays * DAY_MILLISECONDS);
}

/** Whether the entries of a collection are gone. */
export function isExpired(
  { expiresAt, expiredAt }: Pick<KnowledgeStoreEntity, 'expiresAt' | 'expiredAt'>,
  now: Date,
): boolean {
  return expiredAt !== null || (expiresAt !== null && expiresAt <= now);
}

/** Records when collections were last used, at most once a minute. */
@Injectable()
export class StoreActivity {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Call it after a search. */
  async note(storeIds: readonly number[]): Promise<void> {
    const members = ['id', 'lastActiveAt'] as const;
    const stores = await findRows(
      this.database.manager,
      KnowledgeStoreEntity,
      { id: In([...storeIds]) },
      { members, order: { id: 'ASC' } },
    );
    const due = stores.filter((store) => this.isDue(store));
    if (due.length > 0) {
      await this.database.write(async (manager) => {
        for (const store of due) {
          await this.touch(manager, store);
        }
      });
    }
  }

  /** Call it within `Database.write`, after a change of entries. */
  async touch(manager: EntityManager, store: Active): Promise<void> {
    if (!this.isDue(store)) {
      return;
    }
    // The owner may have changed its life since it was read.
    const present = await findLocked(manager, KnowledgeStoreEntity, { id: store.id });
    const lastActiveAt = this.clock.now();
    if (present !== null && this.isDue(present) && !isExpired(present, lastActiveAt)) {
      const expiresAt = expiryOf(present.expiresAfterDays, lastActiveAt);
      await updateRows(manager, KnowledgeStoreEntity, { lastActiveAt, expiresAt }, { id: store.id });
    }
  }

  private isDue({ lastActiveAt }: Active): boolean {
    return this.clock.now().getTime() - lastActiveAt.getTime() >= MINUTE_MILLISECONDS;
  }
}
