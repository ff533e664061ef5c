import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { countedBytesOf } from '../../../integrations/blob-store/blob.entity';
import { BlobHolders } from '../../../integrations/blob-store/blob-holders';
import { type Keeper, StorageService } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { EntryStore } from '../collections/entry.store';
import { fileEvent } from '../knowledge.events';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from '../tables/knowledge-text.entity';

/** The kind of the rows in `blob_holders`. */
const KIND = 'knowledge_file';

/** A file that is about to be stored. */
export type NewFile = Pick<
  KnowledgeFileEntity,
  'sha256' | 'bytes' | 'mediaType' | 'filename' | 'purpose' | 'expiresAt' | 'chatId'
>;

/** How many bytes a file counts towards the storage of its owner. */
export function storedBytesOf({ bytes, textBytes }: Pick<KnowledgeFileEntity, 'bytes' | 'textBytes'>): number {
  return countedBytesOf(bytes) + textBytes;
}

/** Adds and removes files. Call the methods within `Database.write`. */
@Injectable()
export class FileStore {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly holders: BlobHolders,
    private readonly storage: StorageService,
    private readonly entries: EntryStore,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** @throws StorageQuotaExceededError */
  async add(manager: EntityManager, keeper: Keeper, file: NewFile): Promise<KnowledgeFileEntity> {
    const row = { ...file, ownerId: keeper.userId, textBytes: 0, createdAt: this.clock.now() };
    await this.storage.addBytes(manager, keeper, storedBytesOf(row));
    const added = await insertEntity(manager, KnowledgeFileEntity, row);
    await this.holders.add(manager, KIND, added.id, file.sha256);
    await this.events.publish(manager, fileEvent('created', added));
    return added;
  }

  /**
   * Counts the parsed text of a file towards the storage of its owner.
   *
   * @param textBytes in UTF-8
   * @throws StorageQuotaExceededError
   */
  async countText(manager: EntityManager, fileId: number, textBytes: number): Promise<void> {
    const file = await findLocked(manager, KnowledgeFileEntity, { id: fileId });
    const added = textBytes - (file?.textBytes ?? textBytes);
    if (file === null || added === 0) {
      return;
    }
    const { ownerId } = file;
    if (ownerId !== null && added > 0) {
      await this.storage.addBytes(manager, { userId: ownerId, tier: await this.users.tierOf(ownerId) }, added);
    } else if (ownerId !== null) {
      await this.storage.removeBytes(manager, new Map([[ownerId, -added]]));
    }
    await updateRows(manager, KnowledgeFileEntity, { textBytes }, { id: fileId });
  }

  /** Removes files from all collections and deletes them, with their texts. */
  async remove(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<void> {
    const ids = files.map(({ id }) => id);
    const entries = await findRows(manager, KnowledgeEntryEntity, { fileId: In(ids) });
    await this.entries.remove(manager, entries, files);
    await deleteRows(manager, KnowledgeFileEntity, { id: In(ids) });
    await this.holders.remove(manager, KIND, ids);
    const freed = new Map<number, number>();
    for (const file of files) {
      if (file.ownerId !== null) {
        freed.set(file.ownerId, (freed.get(file.ownerId) ?? 0) + storedBytesOf(file));
      }
      await this.removeText(manager, file);
      await this.events.publish(manager, fileEvent('deleted', file));
    }
    await this.storage.removeBytes(manager, freed);
  }

  /** The text of a content is kept while its owner has a file with it. */
  private async removeText(manager: EntityManager, { ownerId, sha256 }: KnowledgeFileEntity): Promise<void> {
    const content = { ownerId: ownerId ?? IsNull(), sha256 };
    if (await rowExists(manager, KnowledgeFileEntity, content)) {
      return;
    }
    const texts = await findRows(manager, KnowledgeTextEntity, content, { members: ['id'] });
    const ids = texts.map(({ id }) => id);
    if (ids.length > 0) {
      await deleteRows(manager, KnowledgeTextPieceEntity, { textId: In(ids) });
      await deleteRows(manager, KnowledgeTextEntity, { id: In(ids) });
    }
  }
}
