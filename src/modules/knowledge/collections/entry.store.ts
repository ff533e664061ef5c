import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { ForbiddenError } from '../../../common/security/security.errors';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findRows } from '../../../database/statements/find';
import { insertBatch, insertRows } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { idList } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { UploadedFileNotFoundError } from '../files/file.errors';
import { KnowledgeConfig } from '../knowledge.config';
import { KnowledgeExpiredError, KnowledgeLimitError, KnowledgeNotFoundError } from '../knowledge.errors';
import { entryEvent } from '../knowledge.events';
import { type EntryAttributes, KnowledgeAttributeEntity, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { AUTOMATIC, type CuttingStrategy, type EntryWishes } from './entry-fields';
import { EntryRemoval } from './entry-removal';
import { IngestionQueue } from './ingestion-queue';
import { isExpired, StoreActivity } from './store-activity';

/** A file to attach. */
export interface AttachedFile extends EntryWishes {
  fileId: number;
}

/** The user who attaches files, and the id of the request, for the log. */
export interface Attaching {
  principal: Pick<Principal, 'userId' | 'userType'>;
  requestId: string | null;
}

/** An entry after files were attached, and the job that the attachment started. */
export interface AttachedEntry {
  entry: KnowledgeEntryEntity;
  /** Null: the entry was attached already, and nothing is done. */
  jobId: number | null;
  /** Whether the file was not attached before. */
  isNew: boolean;
}

/** Adds, changes and removes entries. Call the methods within `Database.write`. */
@Injectable()
export class EntryStore {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly queue: IngestionQueue,
    private readonly removal: EntryRemoval,
    private readonly activity: StoreActivity,
    private readonly config: KnowledgeConfig,
  ) {}

  /**
   * Attaches files to a collection in which the caller is an editor: all of them, or none. An entry that exists gets the
   * new attributes, and is ingested again if it failed or is to be cut in another way.
   *
   * @param files distinct
   * @throws UploadedFileNotFoundError if a file is not the caller's, KnowledgeNotFoundError, KnowledgeExpiredError,
   * KnowledgeLimitError; ForbiddenError if only administrators may add files
   */
  async attach(
    manager: EntityManager,
    by: Attaching,
    storeId: number,
    files: readonly AttachedFile[],
  ): Promise<AttachedEntry[]> {
    const store = await this.lockStore(manager, by, storeId);
    const found = await this.ownFiles(manager, by.principal.userId, files);
    const known = await findRows(manager, KnowledgeEntryEntity, { storeId, fileId: In([...found.keys()]) });
    const entryOf = new Map(known.map((entry) => [entry.fileId, entry]));
    const added = files.filter(({ fileId }) => !entryOf.has(fileId));
    await this.requireRoom(manager, storeId, added.length);
    for (const entry of await this.insert(manager, by, storeId, added)) {
      entryOf.set(entry.fileId, entry);
    }
    const isNew = new Set(added.map(({ fileId }) => fileId));
    const attached: AttachedEntry[] = [];
    const starting: KnowledgeEntryEntity[] = [];
    for (const { fileId, attributes, strategy } of files) {
      let entry = entryOf.get(fileId) as KnowledgeEntryEntity;
      if (!isNew.has(fileId) && attributes !== undefined) {
        entry = await this.setAttributes(manager, entry, attributes);
      }
      const needsWork = isNew.has(fileId) || mustIngest(entry, strategy);
      if (needsWork && !isNew.has(fileId)) {
        entry = await this.restart(manager, entry, strategy ?? sizesOf(entry));
      }
      attached.push({ entry, jobId: null, isNew: isNew.has(fileId) });
      if (needsWork) {
        starting.push(entry);
      }
    }
    const jobs = await this.start(manager, starting, found);
    const events = added.map(({ fileId }) =>
      entryEvent('file_added', {
        store,
        file: found.get(fileId) as KnowledgeFileEntity,
        addedBy: by.principal.userId,
      }),
    );
    await this.events.publishAll(manager, store.chatId === null ? events : []);
    await this.activity.touch(manager, store);
    return attached.map((each) => ({ ...each, jobId: jobs.get(each.entry.id) ?? null }));
  }

  /** Replaces all attributes of an entry. */
  async setAttributes(
    manager: EntityManager,
    entry: KnowledgeEntryEntity,
    attributes: EntryAttributes,
  ): Promise<KnowledgeEntryEntity> {
    await updateRows(manager, KnowledgeEntryEntity, { attributes }, { id: entry.id });
    await deleteRows(manager, KnowledgeAttributeEntity, { entryId: entry.id });
    await insertBatch(manager, KnowledgeAttributeEntity, attributeRows(entry.id, attributes));
    return { ...entry, attributes };
  }

  /**
   * Ingests an entry again. It keeps its passages until the new ones are complete.
   *
   * @param file that of the entry
   * @returns the id of the job
   */
  async ingestAgain(
    manager: EntityManager,
    entry: KnowledgeEntryEntity,
    file: KnowledgeFileEntity,
  ): Promise<KnowledgeEntryEntity> {
    const restarted = await this.restart(manager, entry, sizesOf(entry));
    await this.start(manager, [restarted], new Map([[file.id, file]]));
    return restarted;
  }

  /** Removes entries from their collections. @param files those of the entries */
  async remove(
    manager: EntityManager,
    entries: readonly KnowledgeEntryEntity[],
    files: readonly Pick<KnowledgeFileEntity, 'id' | 'filename'>[],
  ): Promise<void> {
    if (entries.length === 0) {
      return;
    }
    const storeIds = [...new Set(entries.map(({ storeId }) => storeId))];
    const stores = await findRows(manager, KnowledgeStoreEntity, { id: In(storeIds) });
    await this.removal.remove(manager, entries);
    const events = entries.flatMap(({ storeId, fileId, addedBy }) => {
      const store = stores.find(({ id }) => id === storeId);
      const file = files.find(({ id }) => id === fileId);
      return store && file && store.chatId === null ? [entryEvent('file_removed', { store, file, addedBy })] : [];
    });
    await this.events.publishAll(manager, events);
    for (const store of stores) {
      await this.activity.touch(manager, store);
    }
  }

  private async lockStore(manager: EntityManager, { principal }: Attaching, id: number): Promise<KnowledgeStoreEntity> {
    const store = await findLocked(manager, KnowledgeStoreEntity, { id });
    if (store === null) {
      throw new KnowledgeNotFoundError();
    }
    if (store.trusted && principal.userType !== 'admin') {
      throw new ForbiddenError();
    }
    if (isExpired(store, this.clock.now())) {
      throw new KnowledgeExpiredError();
    }
    return store;
  }

  /** The files, locked so that none is deleted before the commit. @throws UploadedFileNotFoundError */
  private async ownFiles(
    manager: EntityManager,
    userId: number,
    files: readonly AttachedFile[],
  ): Promise<Map<number, KnowledgeFileEntity>> {
    const ids = files.map(({ fileId }) => fileId);
    const living = {
      condition: `id IN ${idList(ids)} AND owner_id = ? AND chat_id IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
      parameters: [userId, this.clock.now()],
    };
    const found = await findRows(manager, KnowledgeFileEntity, living, { lock: 'wait', order: { id: 'ASC' } });
    if (found.length < ids.length) {
      throw new UploadedFileNotFoundError();
    }
    return new Map(found.map((file) => [file.id, file]));
  }

  private async requireRoom(manager: EntityManager, storeId: number, added: number): Promise<void> {
    const { KNOWLEDGE_FILES: limit } = this.config;
    if (added > 0 && (await countRows(manager, KnowledgeEntryEntity, { storeId })) + added > limit) {
      throw new KnowledgeLimitError('files', limit);
    }
  }

  private async insert(
    manager: EntityManager,
    { principal, requestId }: Attaching,
    storeId: number,
    files: readonly AttachedFile[],
  ): Promise<KnowledgeEntryEntity[]> {
    const createdAt = this.clock.now();
    const rows = files.map(({ fileId, attributes = {}, strategy = AUTOMATIC }) => ({
      ...STARTED,
      storeId,
      fileId,
      addedBy: principal.userId,
      requestId,
      attributes,
      chunkSize: strategy.size,
      chunkOverlap: strategy.overlap,
      createdAt,
    }));
    const ids = rows.length === 0 ? [] : await insertRows(manager, KnowledgeEntryEntity, rows);
    const entries = rows.map((row, index) => ({ ...row, id: ids[index] as number }));
    const values = entries.flatMap(({ id, attributes }) => attributeRows(id, attributes));
    await insertBatch(manager, KnowledgeAttributeEntity, values);
    return entries;
  }

  /** Prepares an entry for another ingestion, and ends the present one. */
  private async restart(
    manager: EntityManager,
    entry: KnowledgeEntryEntity,
    { size, overlap }: CuttingStrategy,
  ): Promise<KnowledgeEntryEntity> {
    await this.queue.cancel(manager, [entry.id]);
    const progress = { stage: 'queued' as const, progressDone: 0, progressTotal: 0, warning: null };
    const changes =
      entry.ingestionId === null
        ? {
            ...progress,
            status: 'in_progress' as const,
            errorCode: null,
            completedAt: null,
            chunkSize: size,
            chunkOverlap: overlap,
          }
        : { ...progress, nextChunkSize: size, nextChunkOverlap: overlap };
    await updateRows(manager, KnowledgeEntryEntity, changes, { id: entry.id });
    return { ...entry, ...changes };
  }

  /** @returns the ids of the jobs by entry */
  private async start(
    manager: EntityManager,
    entries: readonly KnowledgeEntryEntity[],
    files: ReadonlyMap<number, KnowledgeFileEntity>,
  ): Promise<Map<number, number>> {
    const jobs = entries.map(({ id, fileId }) => ({
      entryId: id,
      ownerId: files.get(fileId)?.ownerId ?? null,
      kind: 'ingest' as const,
    }));
    const ids = await this.queue.add(manager, jobs);
    return new Map(entries.map(({ id }, index) => [id, ids[index] as number]));
  }
}

/** The state of a new entry. */
const STARTED = {
  status: 'in_progress' as const,
  stage: 'queued' as const,
  progressDone: 0,
  progressTotal: 0,
  errorCode: null,
  warning: null,
  nextChunkSize: null,
  nextChunkOverlap: null,
  ingestionId: null,
  passages: 0,
  usageBytes: 0,
  completedAt: null,
};

/** The sizes of the passages that the entry has, or will have. */
function sizesOf(entry: KnowledgeEntryEntity): CuttingStrategy {
  return { size: entry.nextChunkSize ?? entry.chunkSize, overlap: entry.nextChunkOverlap ?? entry.chunkOverlap };
}

function mustIngest(entry: KnowledgeEntryEntity, strategy: CuttingStrategy | undefined): boolean {
  const { size, overlap } = sizesOf(entry);
  const isOther = strategy !== undefined && (strategy.size !== size || strategy.overlap !== overlap);
  return isOther || entry.status === 'failed' || entry.status === 'cancelled';
}

function attributeRows(entryId: number, attributes: EntryAttributes): KnowledgeAttributeEntity[] {
  return Object.entries(attributes).map(([name, value]) => ({
    entryId,
    name,
    textValue: typeof value === 'string' ? value : null,
    numberValue: typeof value === 'number' ? value : null,
    booleanValue: typeof value === 'boolean' ? value : null,
  }));
}
