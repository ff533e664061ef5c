import { createHash, webcrypto } from 'node:crypto';
import { Readable } from 'node:stream';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import type { Database } from '../../../database/database';
import { BlobStore } from '../blob-store';
import { S3Client } from '../s3/s3-client';
import type { S3Settings } from '../s3/s3-settings';
import type { SpooledFile } from '../spooled-file';

/** Bytes of a file that are read from the disk at a time. */
const PIECE_BYTES = 262_144;

/** Objects in a bucket, which all instances share. Each is named after its hash, with the prefix. */
export class S3BlobStore extends BlobStore implements OnApplicationShutdown {
  private readonly logger = new Logger(S3BlobStore.name);
  private readonly client: S3Client;

  constructor(database: Database, clock: Clock, settings: S3Settings) {
    super(database, clock);
    this.client = new S3Client(settings);
    database.onReady(() => {
      void this.logReachability(settings);
      return Promise.resolve();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  /** Buckets have no practical limit. */
  freeBytes(): Promise<null> {
    return Promise.resolve(null);
  }

  protected async read(hash: string): Promise<Buffer | null> {
    const bytes = await reach(this.client.get(hash));
    if (bytes !== null && (await sha256(bytes)) !== hash) {
      throw new ServiceUnavailableError(new Error(`The object ${hash} has other bytes than were stored.`));
    }
    return bytes;
  }

  protected holds(hash: string): Promise<boolean> {
    return reach(this.client.has(hash));
  }

  protected async open(hash: string): Promise<Readable | null> {
    const body = await reach(this.client.stream(hash));
    return body && Readable.from(verified(body, hash), { objectMode: false });
  }

  protected async write(hash: string, bytes: Uint8Array): Promise<void> {
    await reach(this.client.put(hash, bytes, hash));
  }

  protected async writeFile(hash: string, file: SpooledFile): Promise<void> {
    const body = { length: file.bytes, open: () => Readable.from(file.pieces(PIECE_BYTES), { objectMode: false }) };
    await reach(this.client.put(hash, body, hash));
  }

  protected async erase(hash: string): Promise<void> {
    await reach(this.client.delete(hash));
  }

  /**
   * The service starts even if the store is unreachable: it may come back, and everything except files works without
   * it.
   */
  private async logReachability({ bucket, endpoint }: S3Settings): Promise<void> {
    try {
      await this.client.check();
    } catch (error) {
      this.logger.warn(
        { bucket, endpoint: endpoint.origin, reason: (error as Error).message },
        'The bucket for files cannot be used: images and files are refused with 503 until it can.',
      );
    }
  }
}

async function reach<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new ServiceUnavailableError(error);
  }
}

/** Fails at the end if these were other bytes than were stored, so that their receiver knows. */
async function* verified(body: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const part of body) {
    digest.update(part);
    yield part;
  }
  if (digest.digest('hex') !== hash) {
    throw new Error(`The object ${hash} has other bytes than were stored.`);
  }
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
