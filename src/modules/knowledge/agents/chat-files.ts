import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DEFAULT_LANGUAGE } from '../../../common/i18n/language';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { lockRows } from '../../../database/statements/row-lock';
import type { SearchedFile } from '../../../integrations/llm/port/message-parts';
import type { Sender } from '../../generation/generation.api';
import { entryFault } from '../collections/entry.dto';
import { type Attaching, EntryStore } from '../collections/entry.store';
import { StoresService } from '../collections/stores.service';
import { FileStore } from '../files/file.store';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';

/** How often a reply looks whether a file has been read, in milliseconds: at first, and at most. */
const FIRST_LOOK = 25;
const LAST_LOOK = 500;

type EntryState = Pick<KnowledgeEntryEntity, 'fileId' | 'status' | 'errorCode' | 'ingestionId'>;

/**
 * Files of messages that agents search. Each conversation with such files has a hidden collection, which lives as long as
 * the conversation.
 */
@Injectable()
export class ChatFiles {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly files: FileStore,
    private readonly entries: EntryStore,
    private readonly stores: StoresService,
  ) {}

  /**
   * Adds the files of a message, and starts to read them. Call it within `Database.write`, with the conversation locked.
   *
   * @returns the files with their ids, in order
   * @throws UploadedFileNotFoundError if an upload was deleted, StorageQuotaExceededError, KnowledgeLimitError
   */
  async add(
    manager: EntityManager,
    sender: Sender,
    chatId: number,
    files: readonly SearchedFile[],
  ): Promise<SearchedFile[]> {
    const { userId, requestId } = sender;
    const by: Attaching = { principal: { userId, userType: 'normal' }, requestId };
    const storeId = await this.storeOf(manager, userId, chatId);
    // Uploads before the counters that new files change, as in a deletion.
    const uploads = [...new Set(files.flatMap(({ file_id }) => file_id ?? []))];
    await this.attach(manager, by, storeId, uploads);
    const known = await findRows(manager, KnowledgeFileEntity, { chatId, sha256: In(files.map(({ hash }) => hash)) });
    const idOf = new Map(known.map(({ id, sha256, filename }) => [`${sha256} ${filename}`, id]));
    const added: SearchedFile[] = [];
    for (const { data: _data, ...file } of files) {
      const key = `${file.hash} ${file.name}`;
      const id = file.file_id ?? idOf.get(key) ?? (await this.addFile(manager, sender, chatId, file));
      idOf.set(key, id);
      added.push({ ...file, file_id: id });
    }
    const sent = added.flatMap(({ file_id }) => file_id ?? []).filter((id) => !uploads.includes(id));
    await this.attach(manager, by, storeId, [...new Set(sent)]);
    return added;
  }

  /** A file that came with a message of the user, by its hash. */
  async ofUser(ownerId: number, sha256: string): Promise<KnowledgeFileEntity | null> {
    const where = { condition: 'owner_id = ? AND sha256 = ? AND chat_id IS NOT NULL', parameters: [ownerId, sha256] };
    return findRow(this.database.manager, KnowledgeFileEntity, where, { order: { id: 'DESC' } });
  }

  /** Removes the files of erased conversations. Call it within `Database.write`. */
  async forget(manager: EntityManager, chatIds: readonly number[]): Promise<void> {
    const ofChats = { chatId: In([...chatIds]) };
    const stores = await findRows(manager, KnowledgeStoreEntity, ofChats, { members: ['id'] });
    if (stores.length === 0) {
      return;
    }
    await this.files.remove(manager, await this.files.lock(manager, ofChats));
    for (const { id } of stores) {
      await this.stores.remove(manager, id);
    }
  }

  /** What models read instead of the files, by their ids. @param signal ends the wait for files that are being read */
  async notesOf(chatId: number, files: readonly SearchedFile[], signal: AbortSignal): Promise<Map<number, string>> {
    const states = await this.settled(chatId, [...new Set(files.flatMap(({ file_id }) => file_id ?? []))], signal);
    return new Map(files.map((file) => [file.file_id ?? 0, noteOf(file, states.get(file.file_id ?? 0))]));
  }

  /** The entries of these files, once none is being read. */
  private async settled(
    chatId: number,
    fileIds: readonly number[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, EntryState>> {
    for (let wait = FIRST_LOOK; ; wait = Math.min(2 * wait, LAST_LOOK)) {
      const entries = await this.entriesOf(chatId, fileIds);
      const isReading = entries.some(({ status }) => status === 'in_progress');
      if (!isReading || signal.aborted) {
        return new Map(entries.map((entry) => [entry.fileId, entry]));
      }
      await delay(wait, null, { signal }).catch(() => undefined);
    }
  }

  private async entriesOf(chatId: number, fileIds: readonly number[]): Promise<EntryState[]> {
    const { manager } = this.database;
    const store = await findRow(manager, KnowledgeStoreEntity, { chatId }, { members: ['id'] });
    const where = { storeId: store?.id ?? 0, fileId: In([...fileIds]) };
    const members = ['fileId', 'status', 'errorCode', 'ingestionId'] as const;
    return findRows(manager, KnowledgeEntryEntity, where, { members: [...members] });
  }

  /** The hidden collection of the conversation, locked. */
  private async storeOf(manager: EntityManager, ownerId: number, chatId: number): Promise<number> {
    const known = await findRow(manager, KnowledgeStoreEntity, { chatId }, { members: ['id'] });
    if (known !== null) {
      await lockRows(manager, KnowledgeStoreEntity, [known.id]);
      return known.id;
    }
    const now = this.clock.now();
    const { id } = await insertEntity(manager, KnowledgeStoreEntity, {
      ...{ ownerId, chatId, name: '', description: null, metadata: {}, everyone: null, trusted: false },
      ...{
        lastActiveAt: now,
        expiresAfterDays: null,
        expiresAt: null,
        expiredAt: null,
        createdAt: now,
        updatedAt: now,
      },
    });
    return id;
  }

  private async addFile(
    manager: EntityManager,
    sender: Sender,
    chatId: number,
    { hash: sha256, bytes, media_type: mediaType, name: filename }: SearchedFile,
  ): Promise<number> {
    const file = { sha256, bytes, mediaType, filename, purpose: 'user_data' as const, expiresAt: null, chatId };
    return (await this.files.add(manager, sender, file)).id;
  }

  private async attach(
    manager: EntityManager,
    by: Attaching,
    storeId: number,
    fileIds: readonly number[],
  ): Promise<void> {
    if (fileIds.length > 0) {
      const files = fileIds.map((fileId) => ({ fileId }));
      await this.entries.attach(manager, by, storeId, files);
    }
  }
}

/** @param state absent: the file was deleted */
function noteOf({ name }: SearchedFile, state?: EntryState): string {
  if (state === undefined) {
    return `[The file ${name} is no longer there.]`;
  }
  if (state.ingestionId !== null) {
    return `[The file ${name} is not included, but its passages can be searched.]`;
  }
  return state.status === 'failed' && state.errorCode !== null
    ? `[The file ${name} cannot be searched: ${entryFault(state.errorCode, name, DEFAULT_LANGUAGE)}]`
    : `[The file ${name} is still being read and cannot be searched yet.]`;
}
