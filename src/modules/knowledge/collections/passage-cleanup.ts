import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { Lifecycle } from '../../../common/lifecycle';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { findLocked } from '../../../database/statements/row-lock';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { KnowledgePassageEntity } from '../tables/knowledge-passage.entity';
import { KnowledgeRemovalEntity } from '../tables/knowledge-removal.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { EntryRemoval } from './entry-removal';
import { IngestionQueue } from './ingestion-queue';

/** Rows of one transaction. */
const ENTRIES = 100;
const PASSAGES = 500;

/** What a search stores about passages, in tables of its own. */
export type PassageForgetter = (manager: EntityManager, passageIds: readonly number[]) => Promise<void>;

/**
 * Removes invisible rows in bounded transactions: entries of deleted collections, and passages of entries
 * that are gone or were ingested again.
 */
@Injectable()
export class PassageCleanup {
  private readonly logger = new Logger(PassageCleanup.name);
  private readonly loop: BackgroundLoop;
  private readonly forgetters: PassageForgetter[] = [];

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly entries: EntryRemoval,
    queue: IngestionQueue,
    background: BackgroundWork,
  ) {
    this.loop = background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Passages of deleted files could not be removed.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
    queue.onCleanup(() => this.wake());
  }

  /** For the parts that store more about passages: removes it in the same transaction. Call it in a constructor. */
  onRemove(forget: PassageForgetter): void {
    this.forgetters.push(forget);
  }

  wake(): void {
    this.loop.wake();
  }

  /** Removes all that is due. @throws ServiceUnavailableError between two transactions if the process shuts down */
  async clean(): Promise<null> {
    for (;;) {
      const removal = await findRow(this.database.manager, KnowledgeRemovalEntity, {}, { order: { id: 'ASC' } });
      if (removal === null) {
        return null;
      }
      if (removal.storeId !== null) {
        await this.cleanStore(removal.storeId);
      }
      if (removal.entryId !== null) {
        await this.cleanEntry(removal.entryId);
      }
      await this.database.write((manager) => deleteRows(manager, KnowledgeRemovalEntity, { id: removal.id }));
    }
  }

  /** Each removed entry is due itself then. */
  private async cleanStore(storeId: number): Promise<void> {
    for (let found = ENTRIES; found === ENTRIES;) {
      this.lifecycle.assertAcceptsWork();
      found = await this.database.write(async (manager) => {
        const store = await findRow(manager, KnowledgeStoreEntity, { id: storeId });
        if (store !== null && store.expiredAt === null) {
          return 0;
        }
        const entries = await findRows(
          manager,
          KnowledgeEntryEntity,
          { storeId },
          { limit: ENTRIES, order: { id: 'ASC' } },
        );
        await this.entries.remove(manager, entries);
        return entries.length;
      });
    }
  }

  private async cleanEntry(entryId: number): Promise<void> {
    for (let found = PASSAGES; found === PASSAGES;) {
      this.lifecycle.assertAcceptsWork();
      found = await this.database.write(async (manager) => {
        const passages = await findRows(manager, KnowledgePassageEntity, await this.unseen(manager, entryId), {
          members: ['id'],
          limit: PASSAGES,
        });
        const ids = passages.map(({ id }) => id);
        if (ids.length > 0) {
          for (const forget of this.forgetters) {
            await forget(manager, ids);
          }
          await deleteRows(manager, KnowledgePassageEntity, { id: In(ids) });
        }
        return ids.length;
      });
    }
  }

  /** All passages of the entry but those that searches see, and those that a job is making. */
  private async unseen(manager: EntityManager, entryId: number): Promise<RowCondition> {
    // Locked, because otherwise a job could end between the two queries, and its passages would be in neither.
    const entry = await findLocked(manager, KnowledgeEntryEntity, { id: entryId });
    const jobs = await findRows(manager, KnowledgeJobEntity, { entryId }, { members: ['id'] });
    const kept = [entry?.ingestionId ?? 0, ...jobs.map(({ id }) => id)];
    const { condition, parameters } = idIn(kept, 'ingestion_id');
    return allOf({ condition: 'entry_id = ?', parameters: [entryId] }, { condition: `NOT (${condition})`, parameters });
  }
}
