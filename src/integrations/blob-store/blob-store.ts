import { webcrypto } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../../common/clock';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { toApiError } from '../../common/errors/to-api-error';
import { MINUTE_MILLISECONDS } from '../../common/time';
import type { StatementValue } from '../../database/connection/statement-result';
import type { Database } from '../../database/database';
import { isUniqueViolation } from '../../database/database.errors';
import { insertRow } from '../../database/statements/insert';
import { findLocked } from '../../database/statements/row-lock';
import { execute } from '../../database/statements/run-statement';
import { BlobEntity, countedBytesOf } from './blob.entity';
import { SpooledFile, type SpoolPlace } from './spooled-file';

const TOUCH =
  'UPDATE blobs SET touched_at = ?, erasing_at = NULL WHERE hash = ? AND (erasing_at IS NULL OR erasing_at <= ?)';
const DELETE = 'DELETE FROM blobs WHERE hash = ?';
const MARK_UNUSED = 'UPDATE blobs SET erasing_at = ? WHERE hash = ? AND is_referenced = ? AND touched_at <= ?';
// A mark is its time, so only one of several erasing instances removes the row.
const DELETE_MARKED = 'DELETE FROM blobs WHERE erasing_at = ? AND hash = ? AND is_referenced = ? AND touched_at <= ?';
const UNMARK = 'UPDATE blobs SET erasing_at = NULL WHERE erasing_at = ? AND hash = ?';

/** No erasure takes this long, so the process that marked the blob has died. */
const ERASING_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

/** Blobs that are read concurrently, and requests that wait for it. Each blob may take 10 MiB of memory. */
const READ_AT_ONCE = 8;
const MOST_WAITING = 1_000;

/** A blob that was just stored. */
export interface HeldBlob {
  hash: string;
  /** When it was stored. */
  at: Date;
}

/**
 * Keeps binary content out of the rows of messages. A blob is named by the SHA-256 of its bytes (64 lower-case
 * hexadecimal digits), so the same bytes are stored once. `BlobReferences` records which messages need a blob, and
 * `BlobCollector` erases unreferenced blobs.
 *
 * An adapter stores bytes under a hash. The rows in `blobs` are the same for all adapters, and they prevent races: a
 * row is inserted before the bytes are written, and the bytes are erased while the row is locked. A `put` that meets an
 * erasure of the same bytes waits for its end, and then writes them again. In a cluster, rows are locked on one node
 * only. The row is therefore marked and committed first, and a `put` that finds the mark fails with 503. Without a
 * cluster, that happens only in the moment between the mark and the lock. An adapter for a remote store (S3) needs
 * nothing else; its erasures run one at a time, each with an open transaction for one request.
 *
 * All methods throw `ServiceUnavailableError` while the store is unavailable.
 */
export abstract class BlobStore {
  /** Caches the hashes, so that the same bytes are hashed only once. */
  private readonly names = new WeakMap<Uint8Array, Promise<string>>();
  private readonly turns = bulkhead(READ_AT_ONCE, MOST_WAITING);

  constructor(
    protected readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Stores bytes and returns their hash. They are kept for `UNUSED_MILLISECONDS`; add a reference within that time. */
  async put(bytes: Uint8Array): Promise<string> {
    return (await this.hold(bytes)).hash;
  }

  /** Stores bytes that may never be referenced. `discard` removes them. */
  async hold(bytes: Uint8Array): Promise<HeldBlob> {
    const hash = await this.hashOf(bytes);
    return this.reach(async () => {
      const at = await this.register(hash, bytes.length);
      if (!(await this.holds(hash))) {
        await this.write(hash, bytes);
      }
      return { hash, at };
    });
  }

  /**
   * Like `hold`, for bytes that arrive as a stream. They are never in memory as a whole.
   *
   * @throws errors of `parts`
   */
  async holdStream(parts: AsyncIterable<Uint8Array>): Promise<HeldBlob> {
    const file = await SpooledFile.receive(parts, await this.spoolPlace());
    try {
      return await this.reach(async () => {
        const at = await this.register(file.hash, file.bytes);
        if (!(await this.holds(file.hash))) {
          await this.writeFile(file.hash, file);
        }
        return { hash: file.hash, at };
      });
    } finally {
      await file.close();
    }
  }

  /** The hash that names the bytes. */
  hashOf(bytes: Uint8Array): Promise<string> {
    let name = this.names.get(bytes);
    if (name === undefined) {
      name = webcrypto.subtle.digest('SHA-256', bytes).then((digest) => Buffer.from(digest).toString('hex'));
      this.names.set(bytes, name);
    }
    return name;
  }

  /** The bytes; null if there are none under this hash. */
  get(hash: string): Promise<Buffer | null> {
    return this.reach(() => this.turns.execute(() => this.read(hash)));
  }

  /** The bytes as a stream; null if there are none under this hash. A stream that fails is destroyed. */
  stream(hash: string): Promise<Readable | null> {
    return this.reach(() => this.open(hash));
  }

  has(hash: string): Promise<boolean> {
    return this.reach(() => this.holds(hash));
  }

  /** Erases a blob, even if it is referenced. */
  async delete(hash: string): Promise<void> {
    await this.eraseIf(hash, (manager) => execute(manager, DELETE, [hash]).then(() => true));
  }

  /** Erases an unreferenced blob, unless it was stored again after the given time. @returns whether it was erased */
  async deleteUnused(hash: string, untouchedSince: Date): Promise<boolean> {
    const mark = [this.clock.now(), hash, false, untouchedSince];
    if (!(await this.change(MARK_UNUSED, mark))) {
      return false;
    }
    // If this fails, the mark stays until it is too old: until then nothing can refer to what is left.
    const isIncomplete = await this.reach(() => this.eraseParts(hash, (manager) => isMarked(manager, mark)));
    let isErased = false;
    try {
      isErased = await this.eraseIf(
        hash,
        async (manager) => (await execute(manager, DELETE_MARKED, mark)).affected > 0,
      );
    } finally {
      if (!isErased && !isIncomplete) {
        await this.change(UNMARK, mark.slice(0, 2));
      }
    }
    return isErased;
  }

  /** Erases the unreferenced blobs among these, unless they were stored again. */
  async discard(blobs: readonly HeldBlob[]): Promise<void> {
    for (const { hash, at } of blobs) {
      await this.deleteUnused(hash, at);
    }
  }

  /** Bytes left for files; null if unknown. */
  abstract freeBytes(): Promise<number | null>;

  /** Bytes left in the folder where streams are written first; null if unknown. */
  async freeSpoolBytes(): Promise<number | null> {
    try {
      const room = await statfs((await this.spoolPlace()).folder);
      return room.bavail * room.bsize;
    } catch {
      return null;
    }
  }

  protected abstract read(hash: string): Promise<Buffer | null>;

  protected abstract holds(hash: string): Promise<boolean>;

  /** Null if there are no such bytes. */
  protected abstract open(hash: string): Promise<Readable | null>;

  /** Stores all bytes or none. Other instances may write the same bytes concurrently. */
  protected abstract write(hash: string, bytes: Uint8Array): Promise<void>;

  /** Like `write`, for bytes on the disk. */
  protected abstract writeFile(hash: string, file: SpooledFile): Promise<void>;

  /** Where bytes are written until their hash is known. */
  protected spoolPlace(): Promise<SpoolPlace> {
    return Promise.resolve({ folder: tmpdir(), keepsName: false });
  }

  /**
   * Erases parts of a marked blob that do not fit into one transaction; `erase` does the rest. From the first one on,
   * there is no blob.
   *
   * @param isDue whether the mark is still there; call it within `Database.write`, with each erasure
   * @returns whether parts were erased
   */
  protected eraseParts(_hash: string, _isDue: (manager: EntityManager) => Promise<boolean>): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Call it within `Database.write`. Succeeds if there is nothing to erase. */
  protected abstract erase(hash: string): Promise<void>;

  private change(statement: string, values: StatementValue[]): Promise<boolean> {
    return this.reach(() =>
      this.database.write(async (manager) => (await execute(manager, statement, values)).affected > 0),
    );
  }

  private eraseIf(hash: string, takesRow: (manager: EntityManager) => Promise<boolean>): Promise<boolean> {
    return this.reach(() =>
      this.database.write(async (manager) => {
        const isTaken = await takesRow(manager);
        if (isTaken) {
          await this.erase(hash);
        }
        return isTaken;
      }),
    );
  }

  /** @returns the time of the registration */
  private async register(hash: string, bytes: number): Promise<Date> {
    const touchedAt = this.clock.now();
    const touch = async (manager: EntityManager): Promise<boolean> =>
      (await execute(manager, TOUCH, [touchedAt, hash, deadSince(touchedAt)])).affected > 0;
    try {
      await this.database.write(async (manager) => {
        if (!(await touch(manager))) {
          const row = { hash, bytes, countedBytes: countedBytesOf(bytes), touchedAt };
          await insertRow(manager, BlobEntity, { ...row, isReferenced: false, erasingAt: null });
        }
      });
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
      // The same bytes are being stored or erased concurrently.
      if (!(await this.database.write(touch))) {
        throw new ServiceUnavailableError(new Error('The same bytes are being erased.'));
      }
    }
    return touchedAt;
  }

  private async reach<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error) : toApiError(error);
    }
  }
}

/** Whether this instance's mark is still there; locks the row. */
async function isMarked(manager: EntityManager, [erasingAt, hash]: readonly StatementValue[]): Promise<boolean> {
  const blob = await findLocked(manager, BlobEntity, { hash: String(hash) });
  return blob?.isReferenced === false && blob.erasingAt?.getTime() === (erasingAt as Date).getTime();
}

/** Marks that are older than this time belong to processes that died. */
export function deadSince(now: Date): Date {
  return new Date(now.getTime() - ERASING_MILLISECONDS);
}
