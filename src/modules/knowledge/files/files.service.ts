import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findPage, findRow } from '../../../database/statements/find';
import { adjacentPage, type Cursor } from '../../../database/statements/list-rows';
import { queryRows } from '../../../database/statements/query';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { idList } from '../../../database/statements/rows-by-id';
import { runForRow } from '../../../database/statements/run-statement';
import { containsText } from '../../../database/statements/text-search';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { IdempotencyService, type RepeatableRequest } from '../../generation/generation.api';
import { ReadableStores } from '../collections/readable-stores';
import { KnowledgeRoleRequiredError } from '../knowledge.errors';
import { type FilePurpose, KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { FileEmptyError, UploadedFileNotFoundError } from './file.errors';
import { FileStore } from './file.store';
import { FileReceiver, type ReceivedFile } from './file-receiver';

/** What the client decides about its file. */
export interface FileWishes {
  purpose: FilePurpose;
  /** Seconds until the file is deleted; null: it stays. */
  expiresAfterSeconds: number | null;
}

/** A file with its bytes. */
export interface FileContent {
  file: KnowledgeFileEntity;
  content: Readable;
}

/** Uploads of users: what the routes of both APIs do. */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly blobs: BlobStore,
    private readonly readable: ReadableStores,
    private readonly receiver: FileReceiver,
    private readonly store: FileStore,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Stores a file that was received, once for each key. A file that is not needed is discarded.
   *
   * @param route for the fingerprint of the request, with what else it depends on
   * @param within writes more in the same transaction, before and after it adds the file
   * @throws FileEmptyError, StorageQuotaExceededError, IdempotencyConflictError, errors of `within`;
   * UploadedFileNotFoundError if the request is repeated after the file was deleted
   */
  async create(
    principal: Principal,
    received: ReceivedFile,
    wishes: FileWishes,
    { key, route }: Pick<RepeatableRequest, 'key' | 'route'>,
    within: (manager: EntityManager, add: () => Promise<KnowledgeFileEntity>) => Promise<KnowledgeFileEntity> = (
      _manager,
      add,
    ) => add(),
  ): Promise<KnowledgeFileEntity> {
    const { userId } = principal;
    const { fields, filename, blob, bytes, mediaType } = received;
    const request = { userId, key, route, body: { fields, filename, sha256: blob.hash } };
    try {
      if (bytes === 0) {
        throw new FileEmptyError();
      }
      return await this.idempotency.once(
        request,
        async () => {
          return this.database.write(async (manager) => {
            const row = { ...this.rowOf(wishes), sha256: blob.hash, bytes, mediaType, filename, chatId: null };
            const added = await within(manager, () => this.store.add(manager, principal, row));
            await this.idempotency.keep(manager, request, { chatId: added.id, userMessageId: null, messageId: null });
            return added;
          });
        },
        // The key's row names the file where it names a conversation for a message.
        ({ chatId }) => this.own(userId, chatId),
      );
    } finally {
      // Without effect if a row refers to the bytes.
      await this.receiver.discard(received);
    }
  }

  /** The user's own files, the newest first. @param text a part of the name */
  page(
    userId: number,
    text: string | undefined,
    part: { limit: number; offset: number },
  ): Promise<ListPart<KnowledgeFileEntity>> {
    const { manager } = this.database;
    const where = allOf(this.living(userId), ...(text ? [containsText(manager, 'filename', text)] : []));
    return findPage(manager, KnowledgeFileEntity, where, { ...part, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /** The user's own files in the order of their ids, for lists with cursors. */
  adjacentPage(
    userId: number,
    purpose: FilePurpose | null,
    direction: 'ASC' | 'DESC',
    part: Cursor & { limit: number },
  ): Promise<ListPart<KnowledgeFileEntity>> {
    const hasPurpose = { condition: 'purpose = ?', parameters: [purpose] };
    const where = allOf(this.living(userId), ...(purpose === null ? [] : [hasPurpose]));
    return adjacentPage(this.database.manager, KnowledgeFileEntity, where, direction, part);
  }

  /** One of the user's own files. @throws UploadedFileNotFoundError */
  async own(userId: number, id: number): Promise<KnowledgeFileEntity> {
    const where = allOf(this.living(userId), { condition: 'id = ?', parameters: [id] });
    const file = await findRow(this.database.manager, KnowledgeFileEntity, where);
    if (file === null) {
      throw new UploadedFileNotFoundError();
    }
    return file;
  }

  /** A file that the user owns, also in a conversation, or finds in a readable collection. @throws UploadedFileNotFoundError */
  async find(userId: number, id: number): Promise<KnowledgeFileEntity> {
    const { manager } = this.database;
    const isVisible = this.readable.visibleFile('file', userId);
    const isShared = this.readable.sharedFile('file', userId);
    const statement =
      `SELECT file.id FROM knowledge_files file WHERE file.id = ? AND (${isVisible.condition}) ` +
      `AND (file.owner_id = ? OR (file.chat_id IS NULL AND ${isShared.condition}))`;
    const values = [id, ...isVisible.parameters, userId, ...isShared.parameters];
    const found = await runForRow(manager, statement, values);
    const file = found && (await findRow(manager, KnowledgeFileEntity, { id }));
    if (!file) {
      throw new UploadedFileNotFoundError();
    }
    return file;
  }

  /** @throws UploadedFileNotFoundError; ServiceUnavailableError while the storage is unavailable */
  async content(userId: number, id: number): Promise<FileContent> {
    const file = await this.find(userId, id);
    const content = await this.blobs.stream(file.sha256);
    if (content === null) {
      throw new UploadedFileNotFoundError();
    }
    return { file, content };
  }

  /**
   * Removes the file from all collections, also those of others, and deletes it.
   *
   * @throws UploadedFileNotFoundError; KnowledgeRoleRequiredError for a file that the user can only read
   */
  async delete(userId: number, id: number): Promise<void> {
    const { ownerId } = await this.find(userId, id);
    if (ownerId !== userId) {
      throw new KnowledgeRoleRequiredError('owner');
    }
    await this.database.write(async (manager) => {
      const files = await this.store.lock(manager, { id, ownerId: userId });
      if (files.length === 0) {
        throw new UploadedFileNotFoundError();
      }
      await this.store.remove(manager, files);
    });
  }

  /** For each file, the collections with it that the user may read. */
  async collectionsOf(userId: number, fileIds: readonly number[]): Promise<Map<number, number[]>> {
    const collections = new Map<number, number[]>(fileIds.map((id) => [id, []]));
    if (fileIds.length > 0) {
      const { sql, parameters } = this.readable.of(userId);
      const rows = await queryRows<{ file_id: number; store_id: number }>(
        this.database.manager,
        `SELECT entry.file_id AS file_id, entry.store_id AS store_id FROM (${sql}) AS readable
         JOIN knowledge_entries entry ON entry.store_id = readable.id
         WHERE entry.file_id IN ${idList(fileIds)} ORDER BY entry.store_id`,
        parameters,
      );
      rows.forEach(({ file_id, store_id }) => collections.get(Number(file_id))?.push(Number(store_id)));
    }
    return collections;
  }

  private living(userId: number): RowCondition {
    return {
      condition: 'owner_id = ? AND chat_id IS NULL AND (expires_at IS NULL OR expires_at > ?)',
      parameters: [userId, this.clock.now()],
    };
  }

  private rowOf({ purpose, expiresAfterSeconds }: FileWishes): Pick<KnowledgeFileEntity, 'purpose' | 'expiresAt'> {
    const now = this.clock.now().getTime();
    const expiresAt = expiresAfterSeconds === null ? null : new Date(now + expiresAfterSeconds * SECOND_MILLISECONDS);
    return { purpose, expiresAt };
  }
}
