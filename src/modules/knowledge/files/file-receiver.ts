import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TooManyBodiesError } from '../../../common/errors/common.errors';
import { type MultipartBody, readMultipart } from '../../../common/http/body/multipart-body';
import type { Principal } from '../../../common/security/principal';
import { UnauthorizedError } from '../../../common/security/security.errors';
import { BlobStore, type HeldBlob } from '../../../integrations/blob-store/blob-store';
import { DiskFloor } from '../../../integrations/blob-store/disk-floor';
import { StorageService } from '../../usage/usage.api';
import { PrincipalService } from '../../user/user.api';
import { KnowledgeConfig, MEBIBYTE } from '../knowledge.config';
import { UploadTooLargeError } from './file.errors';
import { fileName } from './file-name';
import { mediaTypeOf, SAMPLE_BYTES } from './media-type';

/** Uploads of a user that one instance receives at once; clients send five. */
const AT_ONCE = 8;

/** Bytes that are in the blob store, and not yet referenced. */
export interface ReceivedBytes {
  blob: HeldBlob;
  bytes: number;
  /** The first bytes, which decide about the type. */
  sample: Buffer;
}

/** A file that a client has sent. */
export interface ReceivedFile extends Omit<ReceivedBytes, 'sample'> {
  /** The fields of the form, without the file. */
  fields: Record<string, string>;
  filename: string;
  mediaType: string;
}

/** The sender of a file, and what may be sent. */
export interface ExpectedUpload {
  request: Request;
  response: Response;
  principal: Principal;
  /** The field of the file. */
  field: string;
  /** Most bytes; default: those of a file. */
  limit?: number;
}

/** Receives files from clients, straight into the blob store. */
@Injectable()
export class FileReceiver {
  /** Uploads under way, by user. */
  private readonly underWay = new Map<number, number>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly disk: DiskFloor,
    private readonly storage: StorageService,
    private readonly principals: PrincipalService,
    private readonly config: KnowledgeConfig,
  ) {}

  /** Most bytes of a file. */
  get limit(): number {
    return this.config.FILE_MAX_MB * MEBIBYTE;
  }

  /**
   * Reads the form. `discard` the file if it is not used.
   *
   * @throws TooManyBodiesError, UploadTooLargeError, StorageQuotaExceededError, InvalidParameterError for a faulty form;
   * ServiceUnavailableError if there is no room on the disk; AccountBannedError and others as soon as the sender may no
   * longer call
   */
  async receive({ request, response, principal, field, limit = this.limit }: ExpectedUpload): Promise<ReceivedFile> {
    const { userId } = principal;
    const announced = Math.min(Number(request.headers['content-length'] ?? limit), limit);
    return this.inTurn(principal, announced, async () => {
      await this.storage.requireQuota(principal);
      const form = await readMultipart(request, response, {
        field,
        limit,
        tooLarge: () => new UploadTooLargeError(limit),
        check: () => this.requireAccess(userId),
        store: (file) => this.store(file),
        discard: ({ blob }) => this.blobs.discard([blob]),
      });
      return toFile(form);
    });
  }

  /**
   * Runs work that takes as much of the disk as an upload, as one of the user's uploads.
   *
   * @throws TooManyBodiesError; ServiceUnavailableError if there is no room on the disk; errors of `work`
   */
  async inTurn<Result>({ userId }: Principal, bytes: number, work: () => Promise<Result>): Promise<Result> {
    this.begin(userId);
    try {
      await this.disk.requireSpace(bytes);
      return await work();
    } finally {
      this.end(userId);
    }
  }

  /** Reads the form of a file that was received. If it is faulty, the file is not kept. @throws errors of `read` */
  async orDiscard<Result>(received: Pick<ReceivedBytes, 'blob'>, read: () => Result): Promise<Result> {
    try {
      return read();
    } catch (error) {
      await this.discard(received);
      throw error;
    }
  }

  /** Removes bytes that no row refers to. */
  discard({ blob }: Pick<ReceivedBytes, 'blob'>): Promise<void> {
    return this.blobs.discard([blob]);
  }

  private async store(parts: AsyncIterable<Buffer>): Promise<ReceivedBytes> {
    let bytes = 0;
    const head: Buffer[] = [];
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        if (bytes < SAMPLE_BYTES) {
          head.push(Buffer.from(part.subarray(0, SAMPLE_BYTES - bytes)));
        }
        bytes += part.length;
        yield part;
      }
    }
    const blob = await this.blobs.holdStream(counted());
    return { blob, bytes, sample: Buffer.concat(head) };
  }

  private async requireAccess(userId: number): Promise<void> {
    if ((await this.principals.ofUser(userId)) === null) {
      throw new UnauthorizedError();
    }
  }

  private begin(userId: number): void {
    const others = this.underWay.get(userId) ?? 0;
    if (others >= AT_ONCE) {
      throw new TooManyBodiesError(AT_ONCE);
    }
    this.underWay.set(userId, others + 1);
  }

  private end(userId: number): void {
    const others = (this.underWay.get(userId) ?? 0) - 1;
    if (others > 0) {
      this.underWay.set(userId, others);
    } else {
      this.underWay.delete(userId);
    }
  }
}

function toFile({ fields, filename, stored }: MultipartBody<ReceivedBytes>): ReceivedFile {
  const name = fileName(filename);
  const { blob, bytes, sample } = stored;
  return { fields, filename: name, mediaType: mediaTypeOf(sample, name), blob, bytes };
}
