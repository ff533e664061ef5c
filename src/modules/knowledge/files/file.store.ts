import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import type { Where } from '../../../database/statements/row-condition';
import { findLocked, lockRows } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { countedBytesOf } from '../../../integrations/blob-store/blob.entity';
import { BlobHolders } from '../../../integrations/blob-store/blob-holders';
import { LegalHolds } from '../../hold/hold.api';
import { type Keeper, StorageService } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { EntryStore } from '../collections/entry.store';
import { fileEvent } from '../knowledge.events';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
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

function hasOwner(file: KnowledgeFileEntity): file is KnowledgeFileEntity & { ownerId: number } {
  return file.ownerId !== null;
}

const NEVER_HELD = { heldOwnerId: null, heldChatId: null, deletedAt: null };

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
    private readonly holds: LegalHolds,
  ) {}

  /** @throws StorageQuotaExceededError */
  async add(manager: EntityManager, keeper: Keeper, file: NewFile): Promise<KnowledgeFileEntity> {
    const row = {
      ...file,
      ...NEVER_HELD,
      ownerId: keeper.userId,
      textBytes: 0,
      createdAt: this.clock.now(),
    };
    await this.storage.addBytes(manager, keeper, storedBytesOf(row));
    const added = await insertEntity(manager, KnowledgeFileEntity, row);
    const holder = { kind: KIND, holderId: added.id, hash: file.sha256, userId: keeper.userId };
    const freed = await this.holders.add(manager, holder);
    await this.storage.removeBytes(manager, new Map([[keeper.userId, freed]]));
    await this.publish(manager, 'created', added);
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

  /** Locks the collections of files, and then the files, in the order of those who attach files. */
  async lock(manager: EntityManager, where: Where<KnowledgeFileEntity>): Promise<KnowledgeFileEntity[]> {
    const files = await findRows(manager, KnowledgeFileEntity, where, { members: ['id'] });
    const ofFiles = { fileId: In(files.map(({ id }) => id)) };
    const entries = await findRows(manager, KnowledgeEntryEntity, ofFiles, { members: ['storeId'] });
    await lockRows(manager, KnowledgeStoreEntity, [...new Set(entries.map(({ storeId }) => storeId))]);
    return findRows(manager, KnowledgeFileEntity, where, { lock: 'wait', order: { id: 'ASC' } });
  }

  /**
   * Removes files from all collections and deletes them, with their texts. Those under a legal hold disappear for all
   * users in the same way, but stay stored. @param files locked
   */
  async remove(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<void> {
    // This locks the counters of the owners, so that an upload of the same bytes is seen below, or comes later.
    await this.release(manager, files);
    await this.holds.lockForDeletion(manager);
    const held = await this.heldAmong(manager, files);
    const entries = await findRows(manager, KnowledgeEntryEntity, { fileId: In(files.map(({ id }) => id)) });
    await this.entries.remove(manager, entries, files);
    await this.hide(
      manager,
      files.filter((file) => held.has(file.id)),
    );
    const free = files.filter((file) => !held.has(file.id));
    const ids = free.map(({ id }) => id);
    await deleteRows(manager, KnowledgeFileEntity, { id: In(ids) });
    await this.storage.keepBytes(manager, await this.holders.remove(manager, KIND, ids));
    for (const file of free) {
      await this.removeText(manager, file);
    }
    for (const file of files.filter(({ deletedAt }) => deletedAt === null)) {
      await this.publish(manager, 'deleted', file);
    }
  }

  /** The files among these that a legal hold covers, by their present or former owner or conversation. */
  private async heldAmong(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<Set<number>> {
    const owners = files.flatMap(({ ownerId, heldOwnerId }) => [ownerId, heldOwnerId]).filter((id) => id !== null);
    const heldUsers = await this.holds.heldUsers(manager, owners);
    const heldChats = await this.holds.heldChats(
      manager,
      files.flatMap(({ chatId, heldChatId, ownerId }) => {
        const id = chatId ?? heldChatId;
        return id === null ? [] : [{ id, userId: ownerId ?? 0 }];
      }),
    );
    const isHeld = ({ ownerId, heldOwnerId, chatId, heldChatId }: KnowledgeFileEntity): boolean =>
      heldUsers.has(ownerId ?? 0) ||
      heldUsers.has(heldOwnerId ?? 0) ||
      heldChats.has(chatId ?? 0) ||
      heldChats.has(heldChatId ?? 0);
    return new Set(files.filter(isHeld).map(({ id }) => id));
  }

  /** No user finds a file without an owner, a conversation and a collection. */
  private async hide(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<void> {
    const deletedAt = this.clock.now();
    for (const file of files.filter((one) => one.deletedAt === null)) {
      const former = { heldOwnerId: file.ownerId ?? file.heldOwnerId, heldChatId: file.chatId };
      const hidden = { ...former, ownerId: null, chatId: null, expiresAt: null, deletedAt };
      await updateRows(manager, KnowledgeFileEntity, hidden, { id: file.id });
      await this.storage.keepBytes(manager, await this.holders.disown(manager, KIND, [file.id]));
      await this.passText(manager, file);
    }
  }

  /** The text goes along with the last file of its owner with this content. */
  private async passText(manager: EntityManager, { ownerId, sha256 }: KnowledgeFileEntity): Promise<void> {
    if (ownerId !== null && !(await rowExists(manager, KnowledgeFileEntity, { ownerId, sha256 }))) {
      await updateRows(manager, KnowledgeTextEntity, { ownerId: null }, { ownerId, sha256 });
    }
  }

  /**
   * Gives files of one content to the service, with their text and their jobs: nothing is parsed or embedded again.
   *
   * @param files locked, of the same owner
   */
  async handOver(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<void> {
    await this.release(manager, files);
    const ids = files.map(({ id }) => id);
    // A legal hold on the former owner keeps the file, also if the service deletes it later.
    await this.holds.lockForDeletion(manager);
    const heldOwnerId = (await this.heldAmong(manager, files)).size > 0 ? (files[0]?.ownerId ?? null) : null;
    await updateRows(manager, KnowledgeFileEntity, { ownerId: null, heldOwnerId, expiresAt: null }, { id: In(ids) });
    await this.storage.keepBytes(manager, await this.holders.disown(manager, KIND, ids));
    for (const { ownerId, sha256 } of files.filter(hasOwner)) {
      await updateRows(manager, KnowledgeTextEntity, { ownerId: null }, { ownerId, sha256 });
    }
    const entries = await findRows(manager, KnowledgeEntryEntity, { fileId: In(ids) }, { members: ['id'] });
    for (const entryIds of idBatches(entries.map(({ id }) => id))) {
      await updateRows(manager, KnowledgeJobEntity, { ownerId: null }, { entryId: In(entryIds) });
    }
  }

  /** Files of conversations have no events. */
  private async publish(manager: EntityManager, type: 'created' | 'deleted', file: KnowledgeFileEntity): Promise<void> {
    await (file.chatId === null && this.events.publish(manager, fileEvent(type, file)));
  }

  private async release(manager: EntityManager, files: readonly KnowledgeFileEntity[]): Promise<void> {
    const freed = new Map<number, number>();
    for (const file of files.filter(hasOwner)) {
      freed.set(file.ownerId, (freed.get(file.ownerId) ?? 0) + storedBytesOf(file));
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
