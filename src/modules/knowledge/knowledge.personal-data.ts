import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { DEFAULT_LANGUAGE } from '../../common/i18n/language';
import { Lifecycle } from '../../common/lifecycle';
import { Database } from '../../database/database';
import { findRow, findRows, rowExists } from '../../database/statements/find';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { updateRows } from '../../database/statements/update';
import { BlobHolderEntity } from '../../integrations/blob-store/blob-holder.entity';
import { BlobStore } from '../../integrations/blob-store/blob-store';
import { CitedNames } from '../generation/generation.api';
import { LongText, PersonalDataRegistry } from '../user/user.api';
import { toEntryDto } from './collections/entry.dto';
import { PassageCleanup } from './collections/passage-cleanup';
import { StoresService } from './collections/stores.service';
import { FileStore } from './files/file.store';
import { UploadStore } from './files/upload.store';
import { KnowledgeBatchEntity } from './tables/knowledge-batch.entity';
import { KnowledgeEntryEntity } from './tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from './tables/knowledge-file.entity';
import { KnowledgeJobEntity } from './tables/knowledge-job.entity';
import { KnowledgeStoreEntity, KnowledgeStoreGroupEntity } from './tables/knowledge-store.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from './tables/knowledge-text.entity';
import { KnowledgeUploadEntity } from './tables/knowledge-upload.entity';

const BATCH = 50;

/** Pieces of a text that are read at once. */
const PIECES = 10;

/**
 * Exports and erases files and collections of a user. What other users may read is the company's knowledge: it passes to
 * the service, without a trace of the person.
 */
@Injectable()
export class KnowledgePersonalData {
  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly blobs: BlobStore,
    private readonly stores: StoresService,
    private readonly files: FileStore,
    private readonly uploads: UploadStore,
    private readonly cleanup: PassageCleanup,
    private readonly names: CitedNames,
    private readonly registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'knowledge',
      entities: [KnowledgeStoreEntity, KnowledgeEntryEntity, KnowledgeBatchEntity, KnowledgeJobEntity],
      rows: (userId) => this.storeRows(userId),
      erase: (userId) => this.eraseStores(userId),
      release: (userId) => this.passShared(userId),
    });
    registry.register({
      name: 'files',
      // A holder of a blob goes with its file or upload.
      entities: [KnowledgeFileEntity, KnowledgeUploadEntity, KnowledgeTextEntity, BlobHolderEntity],
      rows: (userId) => this.fileRows(userId),
      erase: (userId) => this.eraseFiles(userId),
    });
  }

  private async *storeRows(userId: number): AsyncGenerator<object> {
    const { manager } = this.database;
    for await (const stores of keysetBatches(manager, KnowledgeStoreEntity, { ownerId: userId, chatId: IsNull() })) {
      for (const store of stores) {
        yield toStoreRow(store, this.entryRows(store.id));
      }
    }
  }

  private async *entryRows(storeId: number): AsyncGenerator<object> {
    const { manager } = this.database;
    for await (const entries of keysetBatches(manager, KnowledgeEntryEntity, { storeId })) {
      const files = await findRows(manager, KnowledgeFileEntity, { id: In(entries.map(({ fileId }) => fileId)) });
      const fileOf = new Map(files.map((file) => [file.id, file]));
      for (const entry of entries) {
        const file = fileOf.get(entry.fileId);
        if (file) {
          yield toEntryDto({ entry, file }, DEFAULT_LANGUAGE);
        }
      }
    }
  }

  /** Each file with its bytes and its text, which may be too large for the memory. */
  private async *fileRows(userId: number): AsyncGenerator<object> {
    const { manager } = this.database;
    const own = { ownerId: userId };
    for await (const files of keysetBatches(manager, KnowledgeFileEntity, own, { rows: BATCH })) {
      for (const file of files) {
        yield {
          id: file.id,
          hash: file.sha256,
          media_type: file.mediaType,
          name: file.filename,
          bytes: file.bytes,
          purpose: file.purpose,
          created_at: file.createdAt.toISOString(),
          expires_at: file.expiresAt?.toISOString() ?? null,
          data: (await this.blobs.has(file.sha256)) ? new LongText(this.bytesOf(file)) : null,
          text: await this.textOf(file),
        };
      }
    }
  }

  /** In Base64. */
  private async *bytesOf({ sha256 }: KnowledgeFileEntity): AsyncGenerator<string> {
    const bytes: AsyncIterable<Buffer> | null = await this.blobs.stream(sha256);
    let rest = Buffer.alloc(0);
    for await (const part of bytes ?? []) {
      const known = Buffer.concat([rest, part]);
      // Three bytes are four digits.
      const end = known.length - (known.length % 3);
      yield known.toString('base64', 0, end);
      rest = known.subarray(end);
    }
    yield rest.toString('base64');
  }

  private async textOf({ ownerId, sha256 }: KnowledgeFileEntity): Promise<LongText | null> {
    const content = { ownerId: ownerId ?? IsNull(), sha256 };
    const newest = { members: ['id' as const], order: { id: 'DESC' as const } };
    const text = await findRow(this.database.manager, KnowledgeTextEntity, content, newest);
    return text && new LongText(this.piecesOf(text.id));
  }

  private async *piecesOf(textId: number): AsyncGenerator<string> {
    const pieces = keysetBatches(
      this.database.manager,
      KnowledgeTextPieceEntity,
      { textId },
      { by: 'number', rows: PIECES },
    );
    for await (const batch of pieces) {
      yield* batch.map(({ text }) => text);
    }
  }

  private async eraseStores(userId: number): Promise<void> {
    await this.eachOf(KnowledgeStoreEntity, { ownerId: userId }, (id) => this.eraseStore(id));
    await this.eachOf(KnowledgeUploadEntity, { userId }, (id) =>
      this.database.write((manager) => this.uploads.remove(manager, [id])),
    );
    const unknown = { userId: null };
    await this.database.write(async (manager) => {
      await updateRows(manager, KnowledgeBatchEntity, unknown, { userId });
      await updateRows(manager, KnowledgeEntryEntity, { addedBy: null }, { addedBy: userId });
    });
  }

  /** A collection that others may read passes to the service. */
  private eraseStore(id: number): Promise<void> {
    return this.database.write(async (manager) => {
      const store = await findRow(manager, KnowledgeStoreEntity, { id }, { lock: 'wait' });
      if (store !== null && !(await this.passStore(manager, store))) {
        await this.stores.remove(manager, id);
      }
    });
  }

  /** @param store locked @returns whether others may read it, so that it passed to the service */
  private async passStore(manager: EntityManager, store: KnowledgeStoreEntity): Promise<boolean> {
    const { id, everyone, chatId } = store;
    const isShared = everyone !== null || (await rowExists(manager, KnowledgeStoreGroupEntity, { storeId: id }));
    if (!isShared || chatId !== null) {
      return false;
    }
    await this.stores.keepHeld(manager, store);
    await updateRows(manager, KnowledgeStoreEntity, { ownerId: null }, { id });
    return true;
  }

  /** While a legal hold keeps the account: only what others may read passes to the service. */
  private async passShared(userId: number): Promise<void> {
    const { manager } = this.database;
    for await (const stores of keysetBatches(manager, KnowledgeStoreEntity, { ownerId: userId }, { members: ['id'] })) {
      for (const { id } of stores) {
        await this.database.write(async (writer) => {
          const store = await findRow(writer, KnowledgeStoreEntity, { id, ownerId: userId }, { lock: 'wait' });
          return store && this.passStore(writer, store);
        });
      }
    }
    for await (const files of keysetBatches(manager, KnowledgeFileEntity, { ownerId: userId }, { members: ['id'] })) {
      for (const { id } of files) {
        await this.passContent(userId, id, false);
      }
    }
  }

  /** A file that is still in a collection of another user, or of the service, passes to the service. */
  private async eraseFiles(userId: number): Promise<void> {
    // The entries of collections that were deleted go first, so that only those of others remain.
    await this.cleanup.clean();
    await this.names.clear(await this.unsharedFiles(userId));
    await this.eachOf(KnowledgeFileEntity, { ownerId: userId }, (id) => this.passContent(userId, id, true));
    await this.registry.writeUnlessHeld(userId, (manager) =>
      updateRows(manager, KnowledgeFileEntity, { heldOwnerId: null }, { heldOwnerId: userId }),
    );
    await this.cleanup.clean();
  }

  /** The files that no collection of another user, or of the service, has. */
  private async unsharedFiles(ownerId: number): Promise<Set<number>> {
    const unshared = new Set<number>();
    for await (const files of keysetBatches(
      this.database.manager,
      KnowledgeFileEntity,
      { ownerId },
      { members: ['id'] },
    )) {
      const ids = files.map(({ id }) => id);
      const shared = await this.sharedAmong(this.database.manager, ownerId, ids);
      ids.filter((id) => !shared.has(id)).forEach((id) => unshared.add(id));
    }
    return unshared;
  }

  /**
   * A conversation of another user does not keep a file. While a legal hold keeps the account, its own collections still
   * exist.
   */
  private async sharedAmong(manager: EntityManager, ownerId: number, fileIds: readonly number[]): Promise<Set<number>> {
    const fileId = In([...fileIds]);
    const entries = await findRows(manager, KnowledgeEntryEntity, { fileId }, { members: ['fileId', 'storeId'] });
    const listed = { id: In(entries.map(({ storeId }) => storeId)), chatId: IsNull() };
    const stores = await findRows(manager, KnowledgeStoreEntity, listed, { members: ['id', 'ownerId'] });
    const others = stores.filter((store) => store.ownerId !== ownerId);
    const isListed = new Set(others.map((store) => store.id));
    return new Set(entries.filter(({ storeId }) => isListed.has(storeId)).map((entry) => entry.fileId));
  }

  /** All files with the same bytes at once, because they share the text: it passes with those that pass. */
  private passContent(ownerId: number, id: number, erasesOthers: boolean): Promise<void> {
    return this.database.write(async (manager) => {
      const file = await findRow(manager, KnowledgeFileEntity, { id, ownerId }, { members: ['sha256'] });
      if (file === null) {
        return;
      }
      const files = await this.files.lock(manager, { ownerId, sha256: file.sha256 });
      const uploads = files.filter(({ chatId }) => chatId === null).map((one) => one.id);
      const shared = await this.sharedAmong(manager, ownerId, uploads);
      await this.files.handOver(
        manager,
        files.filter((one) => shared.has(one.id)),
      );
      if (erasesOthers) {
        await this.files.remove(
          manager,
          files.filter((one) => !shared.has(one.id)),
        );
      }
    });
  }

  /** @param erase changes or deletes the row, so that it does not match any more */
  private async eachOf<Row extends { id: number }>(
    entity: new () => Row,
    where: object,
    erase: (id: number) => Promise<unknown>,
  ): Promise<void> {
    for (;;) {
      const rows = await findRows(this.database.manager, entity, where, { members: ['id'], limit: BATCH });
      if (rows.length === 0) {
        return;
      }
      for (const { id } of rows) {
        this.lifecycle.assertAcceptsWork();
        await erase(id);
      }
    }
  }
}

function toStoreRow(store: KnowledgeStoreEntity, entries: AsyncIterable<object>): object {
  return {
    id: store.id,
    name: store.name,
    description: store.description,
    metadata: store.metadata,
    everyone: store.everyone,
    created_at: store.createdAt.toISOString(),
    updated_at: store.updatedAt.toISOString(),
    expires_at: store.expiresAt?.toISOString() ?? null,
    files: entries,
  };
}
