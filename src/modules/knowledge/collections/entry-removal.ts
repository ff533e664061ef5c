import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { idIn } from '../../../database/statements/row-condition';
import { lockRows } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { runStatement } from '../../../database/statements/run-statement';
import { isHeldUser, LegalHolds } from '../../hold/hold.api';
import { KnowledgeAttributeEntity, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { IngestionQueue } from './ingestion-queue';

/** Entries that a legal hold keeps: by the user who added them, or by the owner of the file. */
const HELD_ENTRIES =
  'SELECT entry.id, entry.added_by, file.id, file.owner_id, file.filename, store.id, store.name, entry.attributes, ' +
  'entry.created_at FROM knowledge_entries entry ' +
  'JOIN knowledge_files file ON file.id = entry.file_id ' +
  'LEFT JOIN knowledge_stores store ON store.id = entry.store_id ' +
  `WHERE (${isHeldUser('entry.added_by')} OR ${isHeldUser('file.owner_id')}) AND `;

/** Removes entries. From the commit on, no request finds them; their passages follow in the background. */
@Injectable()
export class EntryRemoval {
  constructor(
    private readonly queue: IngestionQueue,
    private readonly holds: LegalHolds,
  ) {}

  /** Call it within `Database.write`. Files stay. */
  async remove(manager: EntityManager, entries: readonly Pick<KnowledgeEntryEntity, 'id'>[]): Promise<void> {
    for (const ids of idBatches(entries.map(({ id }) => id))) {
      await lockRows(manager, KnowledgeEntryEntity, ids);
      await this.keepHeld(manager, ids);
      await this.queue.cancel(manager, ids);
      await deleteRows(manager, KnowledgeAttributeEntity, { entryId: In(ids) });
      await deleteRows(manager, KnowledgeEntryEntity, { id: In(ids) });
    }
  }

  /** An entry is small, and nothing else shows that the file was in the collection. */
  private async keepHeld(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await this.holds.lockForDeletion(manager);
    const { condition, parameters } = idIn(ids, 'entry.id');
    const { rows } = await runStatement(manager, HELD_ENTRIES + condition, parameters);
    const copies = rows.map(([id, addedBy, fileId, ownerId, filename, storeId, store, attributes, createdAt]) => ({
      userId: Number(ownerId ?? addedBy),
      chatId: null,
      kind: 'entry' as const,
      data: {
        id,
        file_id: fileId,
        filename,
        collection: { id: storeId, name: store },
        attributes: JSON.parse(String(attributes)) as object,
        added_by: addedBy,
        created_at: createdAt,
      },
    }));
    await this.holds.keepCopies(manager, copies);
  }
}
