import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import type { Cursor } from '../../../database/statements/list-rows';
import { queryRows } from '../../../database/statements/query';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { findLocked, lockRows } from '../../../database/statements/row-lock';
import { containsText } from '../../../database/statements/text-search';
import { IdempotencyService } from '../../generation/generation.api';
import { UploadedFileNotFoundError } from '../files/file.errors';
import type { ReceivedFile } from '../files/file-receiver';
import { FilesService, type FileWishes } from '../files/files.service';
import { KnowledgeExpiredError } from '../knowledge.errors';
import { type EntryAttributes, type EntryStatus, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { type AttachedFile, EntryStore } from './entry.store';
import type { EntryWishes } from './entry-fields';
import { IngestionQueue } from './ingestion-queue';
import { ReadableStores } from './readable-stores';
import { isExpired } from './store-activity';

/** An entry with its file. */
export interface EntryWithFile {
  entry: KnowledgeEntryEntity;
  file: KnowledgeFileEntity;
}

/** Which entries of a collection a list has. */
export interface EntryFilter {
  status?: EntryStatus;
  /** A part of the file's name. */
  text?: string;
  /** Only these, as `alias.column` of `entry`. */
  also?: RowCondition;
}

/** Warnings for which `retry` requests vectors again. */
const WITHOUT_VECTORS = ['embeddings_failed', 'embeddings_lost', 'budget_exceeded', 'quota_exceeded'];

/** Files in collections: what the routes of both APIs do. */
@Injectable()
export class EntriesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly readable: ReadableStores,
    private readonly store: EntryStore,
    private readonly queue: IngestionQueue,
    private readonly files: FilesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** The newest first. @throws KnowledgeNotFoundError */
  async page(
    principal: Principal,
    storeId: number,
    filter: EntryFilter,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ListPart<EntryWithFile>> {
    const { store } = await this.readable.find(principal, storeId);
    const where = this.visible(principal.userId, store, filter);
    const order = 'ORDER BY entry.created_at DESC, entry.id DESC LIMIT ? OFFSET ?';
    const items = await this.select(where, order, [limit, offset]);
    return { items, total: await this.count(where) };
  }

  /**
   * A page for lists with cursors, in the order of the entries' ids.
   *
   * @param cursor ids of entries
   * @throws KnowledgeNotFoundError
   */
  async adjacentPage(
    principal: Principal,
    storeId: number,
    filter: EntryFilter,
    direction: 'ASC' | 'DESC',
    { after, before, limit }: Cursor & { limit: number },
  ): Promise<ListPart<EntryWithFile>> {
    const { store } = await this.readable.find(principal, storeId);
    const where = this.visible(principal.userId, store, filter);
    const isBackward = after === undefined && before !== undefined;
    const readsUp = (direction === 'ASC') !== isBackward;
    const from = after ?? before;
    const beside =
      from === undefined ? where : allOf(where, { condition: `entry.id ${readsUp ? '>' : '<'} ?`, parameters: [from] });
    const items = await this.select(beside, `ORDER BY entry.id ${readsUp ? 'ASC' : 'DESC'} LIMIT ?`, [limit]);
    return { items: isBackward ? items.toReversed() : items, total: await this.count(where) };
  }

  /** @throws KnowledgeNotFoundError, UploadedFileNotFoundError */
  async get(principal: Principal, storeId: number, fileId: number): Promise<EntryWithFile> {
    const { store } = await this.readable.find(principal, storeId);
    const also = { condition: 'entry.file_id = ?', parameters: [fileId] };
    const [found] = await this.select(this.visible(principal.userId, store, { also }), 'LIMIT 1', []);
    if (found === undefined) {
      throw new UploadedFileNotFoundError();
    }
    return found;
  }

  /**
   * Attaches one of the caller's files. It is an editor's right.
   *
   * @param key of the request; null: none
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, and the errors of `EntryStore.attach`
   */
  async attach(
    context: RequestContext,
    storeId: number,
    file: AttachedFile,
    key: string | null,
  ): Promise<EntryWithFile & { isNew: boolean }> {
    const { principal } = context;
    await this.readable.require(principal, storeId, 'editor');
    const request = { userId: principal.userId, key, route: `POST /knowledge/${storeId}/files`, body: file };
    let isNew = false;
    await this.idempotency.once(
      request,
      () =>
        this.database.write(async (manager) => {
          const [attached] = await this.attachAll(manager, context, storeId, [file]);
          isNew = attached?.isNew === true;
          // The key's row names the entry's parts where it names a conversation and a message; the file only if it is new.
          const result = { chatId: storeId, userMessageId: isNew ? file.fileId : null, messageId: null };
          await this.idempotency.keep(manager, request, result);
        }),
      ({ userMessageId }) => {
        isNew = userMessageId !== null;
        return Promise.resolve();
      },
    );
    return { ...(await this.get(principal, storeId, file.fileId)), isNew };
  }

  /**
   * Stores a file that was received, and attaches it, in one transaction. The file is discarded if it is not kept.
   *
   * @throws errors of `attach` and `FilesService.create`
   */
  async attachUpload(
    context: RequestContext,
    storeId: number,
    received: ReceivedFile,
    wishes: FileWishes & EntryWishes,
    key: string | null,
  ): Promise<EntryWithFile> {
    const { principal } = context;
    const route = `POST /knowledge/${storeId}/files`;
    const file = await this.files.create(principal, received, wishes, { key, route }, async (manager, add) => {
      // The collection before the counters that the file changes, as in a deletion.
      await this.lockAsEditor(manager, principal, storeId);
      const added = await add();
      await this.attachAll(manager, context, storeId, [{ ...wishes, fileId: added.id }]);
      return added;
    });
    return this.get(principal, storeId, file.id);
  }

  /**
   * Within `Database.write`, for batches too.
   *
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, and the errors of `EntryStore.attach`
   */
  async attachAll(
    manager: EntityManager,
    { principal, requestId }: RequestContext,
    storeId: number,
    files: readonly AttachedFile[],
  ): ReturnType<EntryStore['attach']> {
    await this.lockAsEditor(manager, principal, storeId);
    return this.store.attach(manager, { principal, requestId }, storeId, files);
  }

  /** Replaces all attributes. @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError */
  async setAttributes(
    principal: Principal,
    storeId: number,
    fileId: number,
    attributes: EntryAttributes,
  ): Promise<EntryWithFile> {
    await this.change(principal, storeId, fileId, (manager, { entry }) =>
      this.store.setAttributes(manager, entry, attributes),
    );
    return this.get(principal, storeId, fileId);
  }

  /** The file stays. @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError */
  async detach(principal: Principal, storeId: number, fileId: number): Promise<void> {
    await this.change(principal, storeId, fileId, (manager, { entry, file }) =>
      this.store.remove(manager, [entry], [file]),
    );
  }

  /**
   * Ingests an entry again that failed, or whose last ingestion failed. Otherwise it has no effect.
   *
   * @param embeddings also requests missing vectors again
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, UploadedFileNotFoundError, KnowledgeExpiredError
   */
  async retry(principal: Principal, storeId: number, fileId: number, embeddings: boolean): Promise<EntryWithFile> {
    await this.change(principal, storeId, fileId, async (manager, { entry, file }) => {
      const { status, stage, warning } = entry;
      const isEnded = status === 'failed' || status === 'cancelled';
      const keptOld = warning === 'ingestion_failed' || warning === 'ingestion_cancelled';
      if (isEnded || (keptOld && stage === 'done')) {
        await this.store.ingestAgain(manager, entry, file);
      } else if (embeddings && stage === 'done' && WITHOUT_VECTORS.includes(warning ?? '')) {
        const isWaiting = await this.queue.hurry(manager, entry.id);
        await (isWaiting || this.queue.add(manager, [{ entryId: entry.id, ownerId: file.ownerId, kind: 'embed' }]));
      }
    });
    return this.get(principal, storeId, fileId);
  }

  /** The condition for entries that a user sees. @param store readable for the user */
  private visible(userId: number, store: KnowledgeStoreEntity, { status, text, also }: EntryFilter): RowCondition {
    const { manager } = this.database;
    return allOf(
      { condition: isExpired(store, this.clock.now()) ? '1 = 0' : 'entry.store_id = ?', parameters: this.idOf(store) },
      this.readable.visibleFile('file', userId),
      ...(status === undefined ? [] : [{ condition: 'entry.status = ?', parameters: [status] }]),
      ...(text ? [containsText(manager, 'file.filename', text)] : []),
      ...(also ? [also] : []),
    );
  }

  private idOf(store: KnowledgeStoreEntity): number[] {
    return isExpired(store, this.clock.now()) ? [] : [store.id];
  }

  private async select(where: RowCondition, rest: string, parameters: number[]): Promise<EntryWithFile[]> {
    const { manager } = this.database;
    const found = await queryRows<{ id: number; file_id: number }>(
      manager,
      `SELECT entry.id AS id, entry.file_id AS file_id FROM ${WITH_FILES} WHERE ${where.condition} ${rest}`,
      [...where.parameters, ...parameters],
    );
    const [entries, files] = await Promise.all([
      findRows(manager, KnowledgeEntryEntity, { id: In(found.map(({ id }) => Number(id))) }),
      findRows(manager, KnowledgeFileEntity, { id: In(found.map(({ file_id }) => Number(file_id))) }),
    ]);
    return found.flatMap(({ id, file_id }) => {
      const entry = entries.find((one) => one.id === Number(id));
      const file = files.find((one) => one.id === Number(file_id));
      return entry && file ? [{ entry, file }] : [];
    });
  }

  private async count({ condition, parameters }: RowCondition): Promise<number> {
    const [row] = await queryRows<{ total: number | string }>(
      this.database.manager,
      `SELECT COUNT(*) AS total FROM ${WITH_FILES} WHERE ${condition}`,
      parameters,
    );
    return Number(row?.total ?? 0);
  }

  /** The caller may have lost the right since the request began, for example during an upload. */
  private async lockAsEditor(manager: EntityManager, principal: Principal, id: number): Promise<KnowledgeStoreEntity> {
    await lockRows(manager, KnowledgeStoreEntity, [id]);
    return (await this.readable.require(principal, id, 'editor')).store;
  }

  /** A change by an editor, of an entry that is locked. */
  private async change(
    principal: Principal,
    storeId: number,
    fileId: number,
    work: (manager: EntityManager, found: EntryWithFile) => Promise<unknown>,
  ): Promise<void> {
    await this.database.write(async (manager) => {
      const store = await this.lockAsEditor(manager, principal, storeId);
      if (isExpired(store, this.clock.now())) {
        throw new KnowledgeExpiredError();
      }
      await this.get(principal, storeId, fileId);
      const file = await findLocked(manager, KnowledgeFileEntity, { id: fileId });
      const entry = await findLocked(manager, KnowledgeEntryEntity, { storeId, fileId });
      if (entry === null || file === null) {
        throw new UploadedFileNotFoundError();
      }
      await work(manager, { entry, file });
    });
  }
}

const WITH_FILES = 'knowledge_entries entry JOIN knowledge_files file ON file.id = entry.file_id';
