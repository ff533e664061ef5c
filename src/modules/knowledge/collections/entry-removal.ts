import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { lockRows } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { KnowledgeAttributeEntity, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { IngestionQueue } from './ingestion-queue';

/** Removes entries. From the commit on, no request finds them; their passages follow in the background. */
@Injectable()
export class EntryRemoval {
  constructor(private readonly queue: IngestionQueue) {}

  /** Call it within `Database.write`. Files stay. */
  async remove(manager: EntityManager, entries: readonly Pick<KnowledgeEntryEntity, 'id'>[]): Promise<void> {
    for (const ids of idBatches(entries.map(({ id }) => id))) {
      await lockRows(manager, KnowledgeEntryEntity, ids);
      await this.queue.cancel(manager, ids);
      await deleteRows(manager, KnowledgeAttributeEntity, { entryId: In(ids) });
      await deleteRows(manager, KnowledgeEntryEntity, { id: In(ids) });
    }
  }
}
