import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Principal } from '../../../common/security/principal';
import { HOUR_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { BlobHolders } from '../../../integrations/blob-store/blob-holders';
import { BlobStore, type HeldBlob } from '../../../integrations/blob-store/blob-store';
import { IdempotencyService } from '../../generation/generation.api';
import { StorageService } from '../../usage/usage.api';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeUploadEntity, KnowledgeUploadPartEntity } from '../tables/knowledge-upload.entity';
import { UploadEndedError, UploadNotFoundError, UploadTooLargeError } from './file.errors';
import { FileStore } from './file.store';
import { fileName } from './file-name';
import { FileReceiver, type ReceivedBytes, type ReceivedFile } from './file-receiver';
import type { FileWishes } from './files.service';
import { mediaTypeOf, SAMPLE_BYTES } from './media-type';
import { PART_KIND, UploadStore } from './upload.store';

const LIFE_MILLISECONDS = HOUR_MILLISECONDS;
const MOST_PARTS = 1_000;

/** Most bytes of a part. */
export const PART_LIMIT = 64 * 1_048_576;

/** A file that will be sent in parts. */
export interface NewUpload extends FileWishes {
  bytes: number;
  filename: string;
  mediaType: string;
}

/** An upload, and its file once it is completed. */
export interface FoundUpload {
  upload: KnowledgeUploadEntity;
  file: KnowledgeFileEntity | null;
}

/** Files that clients send in parts. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly blobs: BlobStore,
    private readonly holders: BlobHolders,
    private readonly receiver: FileReceiver,
    private readonly files: FileStore,
    private readonly uploads: UploadStore,
    private readonly storage: StorageService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Reserves the bytes of the file for an hour.
   *
   * @throws UploadTooLargeError, StorageQuotaExceededError, IdempotencyConflictError
   */
  async create(principal: Principal, wish: NewUpload, key: string | null): Promise<FoundUpload> {
    if (wish.bytes > this.receiver.limit) {
      throw new UploadTooLargeError(this.receiver.limit);
    }
    const { userId } = principal;
    const request = { userId, key, route: 'POST /uploads', body: wish };
    const id = await this.idempotency.once(
      request,
      () =>
        this.database.write(async (manager) => {
          const now = this.clock.now();
          await this.storage.addBytes(manager, principal, wish.bytes);
          const upload = await insertEntity(manager, KnowledgeUploadEntity, {
            ...wish,
            userId,
            filename: fileName(wish.filename),
            status: 'pending',
            partIds: null,
            fileId: null,
            createdAt: now,
            expiresAt: new Date(now.getTime() + LIFE_MILLISECONDS),
          });
          await this.idempotency.keep(manager, request, { chatId: upload.id, userMessageId: null, messageId: null });
          return upload.id;
        }),
      ({ chatId }) => Promise.resolve(chatId),
    );
    return this.find(userId, id);
  }

  /** @throws UploadNotFoundError */
  async find(userId: number, id: number): Promise<FoundUpload> {
    const upload = await findRow(this.database.manager, KnowledgeUploadEntity, { id, userId });
    if (upload === null) {
      throw new UploadNotFoundError();
    }
    const { fileId } = upload;
    const file = fileId === null ? null : await findRow(this.database.manager, KnowledgeFileEntity, { id: fileId });
    return { upload, file };
  }

  /** Throws before the body of a part is read. @throws UploadNotFoundError, UploadEndedError */
  async requirePending(userId: number, id: number): Promise<void> {
    const { upload } = await this.find(userId, id);
    this.assertPending(upload);
  }

  /**
   * Keeps a part that was received, once for each key. A part that is not kept is discarded.
   *
   * @throws UploadNotFoundError, UploadEndedError, IdempotencyConflictError; ValidationFailedError (`data`) for more
   * bytes than announced, and for too many parts
   */
  async addPart(
    userId: number,
    id: number,
    received: ReceivedFile,
    key: string | null = null,
  ): Promise<KnowledgeUploadPartEntity> {
    const { fields, blob } = received;
    const request = { userId, key, route: `POST /uploads/${id}/parts`, body: { fields, sha256: blob.hash } };
    try {
      return await this.idempotency.once(
        request,
        () =>
          this.database.write(async (manager) => {
            const part = await this.insertPart(manager, { id, userId }, received);
            const result = { chatId: part.id, userMessageId: null, messageId: null };
            await this.idempotency.keep(manager, request, result);
            return part;
          }),
        ({ chatId }) => this.partOf(id, chatId),
      );
    } finally {
      // Without effect if a row refers to the bytes.
      await this.receiver.discard(received);
    }
  }

  /**
   * Joins the parts in this order. If it fails, the upload stays pending. A repetition with the same parts finds the
   * same file.
   *
   * @param md5 of the file, in hexadecimal digits; null: not checked
   * @throws UploadNotFoundError, UploadEndedError, StorageQuotaExceededError, TooManyBodiesError; ValidationFailedError
   * (`part_ids`, `md5`); ServiceUnavailableError if there is no room on the disk, or bytes of a part cannot be read
   */
  async complete(
    principal: Principal,
    id: number,
    partIds: readonly number[],
    md5: string | null,
  ): Promise<FoundUpload> {
    const { userId } = principal;
    const found = await this.find(userId, id);
    if (isRepeated(found.upload, partIds)) {
      return found;
    }
    this.assertPending(found.upload);
    const parts = await this.partsOf(found.upload, partIds);
    // Joining takes as much of the disk as an upload.
    const joined = await this.receiver.inTurn(principal, found.upload.bytes, () => this.join(parts, md5));
    try {
      await this.database.write(async (manager) => {
        const upload = await findLocked(manager, KnowledgeUploadEntity, { id, userId });
        if (upload !== null && isRepeated(upload, partIds)) {
          return;
        }
        this.assertPending(upload);
        await this.uploads.end(manager, id, 'completed');
        const file = await this.files.add(manager, principal, {
          sha256: joined.blob.hash,
          bytes: joined.bytes,
          mediaType: mediaTypeOf(joined.sample, upload.filename),
          filename: upload.filename,
          purpose: upload.purpose,
          chatId: null,
          expiresAt: this.expiryOf(upload),
        });
        await updateRows(manager, KnowledgeUploadEntity, { partIds: [...partIds], fileId: file.id }, { id });
      });
    } finally {
      await this.receiver.discard(joined);
    }
    return this.find(userId, id);
  }

  /** @throws UploadNotFoundError, UploadEndedError */
  async cancel(userId: number, id: number): Promise<FoundUpload> {
    await this.database.write(async (manager) => {
      const upload = await findLocked(manager, KnowledgeUploadEntity, { id, userId });
      this.assertPending(upload);
      await this.uploads.end(manager, id, 'cancelled');
    });
    return this.find(userId, id);
  }

  private async insertPart(
    manager: EntityManager,
    owned: Pick<KnowledgeUploadEntity, 'id' | 'userId'>,
    { blob, bytes }: ReceivedFile,
  ): Promise<KnowledgeUploadPartEntity> {
    const upload = await findLocked(manager, KnowledgeUploadEntity, owned);
    this.assertPending(upload);
    const ofUpload = { uploadId: upload.id };
    const parts = await findRows(manager, KnowledgeUploadPartEntity, ofUpload, { members: ['bytes'] });
    const stored = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (stored + bytes > upload.bytes || bytes === 0) {
      throw ValidationFailedError.of('data', bytes === 0 ? 'required' : 'out_of_range');
    }
    if (parts.length >= MOST_PARTS) {
      throw ValidationFailedError.of('data', 'too_many_items', { maximum: MOST_PARTS });
    }
    const row = { ...ofUpload, sha256: blob.hash, bytes, createdAt: this.clock.now() };
    const part = await insertEntity(manager, KnowledgeUploadPartEntity, row);
    await this.holders.add(manager, { kind: PART_KIND, holderId: part.id, hash: part.sha256, userId: null });
    return part;
  }

  /** @throws UploadEndedError if the parts were removed with the end of the upload */
  private async partOf(uploadId: number, id: number): Promise<KnowledgeUploadPartEntity> {
    const part = await findRow(this.database.manager, KnowledgeUploadPartEntity, { id, uploadId });
    if (part === null) {
      throw new UploadEndedError();
    }
    return part;
  }

  private assertPending(upload: KnowledgeUploadEntity | null): asserts upload is KnowledgeUploadEntity {
    if (upload === null) {
      throw new UploadNotFoundError();
    }
    if (upload.status !== 'pending' || upload.expiresAt <= this.clock.now()) {
      throw new UploadEndedError();
    }
  }

  private expiryOf({ expiresAfterSeconds }: KnowledgeUploadEntity): Date | null {
    return expiresAfterSeconds === null
      ? null
      : new Date(this.clock.now().getTime() + expiresAfterSeconds * SECOND_MILLISECONDS);
  }

  /** The parts in the client's order. @throws ValidationFailedError if they are not all of the upload's bytes, each once */
  private async partsOf(
    { id, bytes }: KnowledgeUploadEntity,
    partIds: readonly number[],
  ): Promise<KnowledgeUploadPartEntity[]> {
    const stored = await findRows(this.database.manager, KnowledgeUploadPartEntity, { uploadId: id });
    const parts = partIds.flatMap((partId) => stored.find((part) => part.id === partId) ?? []);
    const isEachOnce = new Set(partIds).size === partIds.length && parts.length === partIds.length;
    if (!isEachOnce || parts.reduce((sum, part) => sum + part.bytes, 0) !== bytes) {
      throw ValidationFailedError.of('part_ids', isEachOnce ? 'conflicts' : 'not_allowed');
    }
    return parts;
  }

  /** @throws ValidationFailedError (`md5`); ServiceUnavailableError if bytes are missing */
  private async join(parts: readonly KnowledgeUploadPartEntity[], md5: string | null): Promise<ReceivedBytes> {
    const { blobs } = this;
    const digest = createHash('md5');
    const head: Buffer[] = [];
    let bytes = 0;
    async function* all(): AsyncGenerator<Buffer> {
      for (const { sha256 } of parts) {
        const part = await blobs.stream(sha256);
        if (part === null) {
          throw new ServiceUnavailableError(new Error('A part of an upload is missing.'));
        }
        for await (const piece of part) {
          if (bytes < SAMPLE_BYTES) {
            head.push((piece as Buffer).subarray(0, SAMPLE_BYTES - bytes));
          }
          digest.update(piece as Buffer);
          bytes += (piece as Buffer).length;
          yield piece as Buffer;
        }
      }
    }
    const blob: HeldBlob = await blobs.holdStream(all());
    if (bytes !== parts.reduce((sum, part) => sum + part.bytes, 0)) {
      await blobs.discard([blob]);
      throw new ServiceUnavailableError(new Error('The parts of an upload have other bytes than were stored.'));
    }
    if (md5 !== null && digest.digest('hex') !== md5.toLowerCase()) {
      await blobs.discard([blob]);
      throw ValidationFailedError.of('md5', 'conflicts');
    }
    return { blob, bytes, sample: Buffer.concat(head) };
  }
}

function isRepeated({ status, partIds: known }: KnowledgeUploadEntity, partIds: readonly number[]): boolean {
  return status === 'completed' && JSON.stringify(known) === JSON.stringify(partIds);
}
