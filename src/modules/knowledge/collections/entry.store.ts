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
   * @param files distinct; in the collection of a conversation also files that others share, which its user pays for
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
    const found = await this.attachable(manager, store, by.principal.userId, files);
    const known = { storeId, fileId: In([...found.keys()]) };
    const attached = await findRows(manager, KnowledgeEntryEntity, known, { lock: 'wait', order: { id: 'ASC' } });
    const entryOf = new Map(attached.map((entry) => [entry.fileId, entry]));
    const added = files.filter(({ fileId }) => !entryOf.has(fileId));
    await this.requireFreeEntries(manager, storeId, added.length);
    for (const entry of await this.insert(manager, by, storeId, added)) {
      entryOf.set(entry.fileId, entry);
    }
    const isNew = new Set(added.map(({ fileId }) => fileId));
    const present = files
      .filter(({ fileId }) => !isNew.has(fileId))
      .map((file) => ({ ...file, entry: entryOf.get(file.fileId) as KnowledgeEntryEntity }));
    await this.changeAttributes(manager, present);
    const again = present.filter(({ entry, strategy }) => mustIngest(entry, strategy));
    await this.restart(manager, again);
    const started = [...isNew, ...again.map(({ fileId }) => fileId)].map(
      (id) => entryOf.get(id) as KnowledgeEntryEntity,
    );
    const payerOf = ({ ownerId }: KnowledgeFileEntity): number | null =>
      store.chatId === null ? ownerId : by.principal.userId;
    const jobs = await this.start(manager, started, (id) => payerOf(found.get(id) as KnowledgeFileEntity));
    const events = added.map(({ fileId }) =>
      entryEvent('file_added', {
        store,
        file: found.get(fileId) as KnowledgeFileEntity,
        addedBy: by.principal.userId,
      }),
    );
    await this.events.publishAll(manager, store.chatId === null ? events : []);
    await this.activity.touch(manager, store);
    return this.result(manager, storeId, files, isNew, jobs);
  }

  /** Replaces all attributes of an entry. */
  async setAttributes(manager: EntityManager, entry: KnowledgeEntryEntity, attributes: EntryAttributes): Promise<void> {
    await this.changeAttributes(manager, [{ entry, attributes }]);
  }

  /** Ingests an entry again. It keeps its passages until the new ones are complete. @param file that of the entry */
  async ingestAgain(manager: EntityManager, entry: KnowledgeEntryEntity, file: KnowledgeFileEntity): Promise<void> {
    await this.restart(manager, [{ entry }]);
    await this.start(manager, [entry], () => file.ownerId);
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
  private async attachable(
    manager: EntityManager,
    { chatId }: KnowledgeStoreEntity,
    userId: number,
    files: readonly AttachedFile[],
  ): Promise<Map<number, KnowledgeFileEntity>> {
    const ids = files.map(({ fileId }) => fileId);
    const source = chatId === null ? 'owner_id = ? AND chat_id IS NULL' : '(chat_id IS NULL OR chat_id = ?)';
    const living = {
      condition: `id IN ${idList(ids)} AND ${source} AND (expires_at IS NULL OR expires_at > ?)`,
      parameters: [chatId ?? userId, this.clock.now()],
    };
    const found = await findRows(manager, KnowledgeFileEntity, living, { lock: 'wait', order: { id: 'ASC' } });
    if (found.length < ids.length) {
      throw new UploadedFileNotFoundError();
    }
    return new Map(found.map((file) => [file.id, file]));
  }

  private async requireFreeEntries(manager: EntityManager, storeId: number, added: number): Promise<void> {
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

  private async changeAttributes(
    manager: EntityManager,
    changed: readonly { entry: KnowledgeEntryEntity; attributes?: EntryAttributes }[],
  ): Promise<void> {
    const sent = changed.flatMap(({ entry, attributes }) => (attributes ? [{ id: entry.id, attributes }] : []));
    for (const same of groupsBy(sent, ({ attributes }) => JSON.stringify(attributes))) {
      const ids = same.map(({ id }) => id);
      const { attributes } = same[0];
      await updateRows(manager, KnowledgeEntryEntity, { attributes }, { id: In(ids) });
      await deleteRows(manager, KnowledgeAttributeEntity, { entryId: In(ids) });
      await insertBatch(
        manager,
        KnowledgeAttributeEntity,
        ids.flatMap((id) => attributeRows(id, attributes)),
      );
    }
  }

  /** Prepares entries for another ingestion, and ends the present one. */
  private async restart(
    manager: EntityManager,
    entries: readonly { entry: KnowledgeEntryEntity; strategy?: CuttingStrategy }[],
  ): Promise<void> {
    if (entries.length === 0) {
      return;
    }
    await this.queue.cancel(
      manager,
      entries.map(({ entry }) => entry.id),
    );
    const cut = entries.map(({ entry, strategy = sizesOf(entry) }) => ({ entry, strategy }));
    const kindOf = ({ entry, strategy }: (typeof cut)[number]): string =>
      `${entry.ingestionId === null} ${strategy.size} ${strategy.overlap}`;
    for (const same of groupsBy(cut, kindOf)) {
      const { entry, strategy } = same[0];
      const changes = restarted(entry.ingestionId !== null, strategy);
      await updateRows(manager, KnowledgeEntryEntity, changes, { id: In(same.map((one) => one.entry.id)) });
    }
  }

  /** The entries as they are now, in the order of the files. */
  private async result(
    manager: EntityManager,
    storeId: number,
    files: readonly AttachedFile[],
    isNew: ReadonlySet<number>,
    jobs: ReadonlyMap<number, number>,
  ): Promise<AttachedEntry[]> {
    const fileIds = files.map(({ fileId }) => fileId);
    const entries = await findRows(manager, KnowledgeEntryEntity, { storeId, fileId: In(fileIds) });
    const entryOf = new Map(entries.map((entry) => [entry.fileId, entry]));
    return fileIds.map((fileId) => {
      const entry = entryOf.get(fileId) as KnowledgeEntryEntity;
      return { entry, jobId: jobs.get(entry.id) ?? null, isNew: isNew.has(fileId) };
    });
  }

  /** @param payerOf the user who pays for a file; null: the service @returns the ids of the jobs by entry */
  private async start(
    manager: EntityManager,
    entries: readonly KnowledgeEntryEntity[],
    payerOf: (fileId: number) => number | null,
  ): Promise<Map<number, number>> {
    const jobs = entries.map(({ id, fileId }) => ({
      entryId: id,
      ownerId: payerOf(fileId),
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

/** The state of an entry that is ingested again. @param isSearched whether it keeps its passages until then */
function restarted(isSearched: boolean, { size, overlap }: CuttingStrategy): Partial<KnowledgeEntryEntity> {
  const progress = { stage: 'queued' as const, progressDone: 0, progressTotal: 0, warning: null };
  return isSearched
    ? { ...progress, nextChunkSize: size, nextChunkOverlap: overlap }
    : {
        ...progress,
        status: 'in_progress',
        errorCode: null,
        completedAt: null,
        chunkSize: size,
        chunkOverlap: overlap,
      };
}

/** Items with the same key together. */
function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) {
      groups.set(keyOf(item), [item]);
    } else {
      group.push(item);
    }
  }
  return [...groups.values()];
}

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
