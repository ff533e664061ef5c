import { webcrypto } from 'node:crypto';
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
import { execute } from '../../database/statements/run-statement';
import { BlobEntity, countedBytesOf } from './blob.entity';

const TOUCH =
  'UPDATE blobs SET touched_at = ?, erasing_at = NULL WHERE hash = ? AND (erasing_at IS NULL OR erasing_at <= ?)';
const DELETE = 'DELETE FROM blobs WHERE hash = ?';
const MARK_UNUSED = 'UPDATE blobs SET erasing_at = ? WHERE hash = ? AND is_referenced = ? AND touched_at <= ?';
// A mark is its time, so that of several who erase one takes the row.
const DELETE_MARKED = 'DELETE FROM blobs WHERE erasing_at = ? AND hash = ? AND is_referenced = ? AND touched_at <= ?';
const UNMARK = 'UPDATE blobs SET erasing_at = NULL WHERE erasing_at = ? AND hash = ?';

/** No erasure takes so long: whoever marked the blob before has died. */
const ERASING_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

/** Blobs that are read at once, and that wait for it: each may take 10 MiB of memory. */
const READ_AT_ONCE = 8;
const MOST_WAITING = 1_000;

/** A blob as somebody stored it. */
export interface HeldBlob {
  hash: string;
  /** When it was stored. */
  at: Date;
}

/**
 * Keeps binary content out of the rows of messages. A blob is named by the SHA-256 of its bytes (64 hexadecimal digits of
 * lower case), so the same bytes are stored once. `BlobReferences` says who needs a blob, and `BlobCollector` erases those
 * that nobody needs.
 *
 * An adapter stores bytes under a hash. The rows in `blobs` are the same for all of them, and they make it safe: a row is
 * made before the bytes are written, and the bytes are erased while the row is locked. So a `put` that meets an erasure of
 * the same bytes waits for its end, and then writes them again. In a cluster rows are locked on one node only. So the row is
 * marked and committed before, and a `put` that finds the mark is refused with 503. Without a cluster that is only the moment
 * between the mark and the lock. An adapter for a remote store (S3) needs nothing else; its erasures, one at a time, each keep
 * a transaction open for one request.
 *
 * All methods throw `ServiceUnavailableError` while the store is away.
 */
export abstract class BlobStore {
  /** So that bytes are named once, however often they are asked for. */
  private readonly names = new WeakMap<Uint8Array, Promise<string>>();
  private readonly turns = bulkhead(READ_AT_ONCE, MOST_WAITING);

  constructor(
    protected readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Stores bytes and returns their hash. Nobody erases them for `UNUSED_MILLISECONDS`: refer to them until then. */
  async put(bytes: Uint8Array): Promise<string> {
    return (await this.hold(bytes)).hash;
  }

  /** The same for bytes to which perhaps nothing will refer: `discard` takes them back. */
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

  /** The name that bytes have here. */
  hashOf(bytes: Uint8Array): Promise<string> {
    let name = this.names.get(bytes);
    if (name === undefined) {
      name = webcrypto.subtle.digest('SHA-256', bytes).then((digest) => Buffer.from(digest).toString('hex'));
      this.names.set(bytes, name);
    }
    return name;
  }

  /** The bytes; null when there are none under this hash. */
  get(hash: string): Promise<Buffer | null> {
    return this.reach(() => this.turns.execute(() => this.read(hash)));
  }

  has(hash: string): Promise<boolean> {
    return this.reach(() => this.holds(hash));
  }

  /** Erases a blob, whoever needs it. */
  async delete(hash: string): Promise<void> {
    await this.eraseIf(hash, (manager) => execute(manager, DELETE, [hash]).then(() => true));
  }

  /** Erases a blob to which nothing refers, and which nobody stored again after this time. @returns whether it was so */
  async deleteUnused(hash: string, untouchedSince: Date): Promise<boolean> {
    const mark = [this.clock.now(), hash, false, untouchedSince];
    if (!(await this.change(MARK_UNUSED, mark))) {
      return false;
    }
    let isErased = false;
    try {
      isErased = await this.eraseIf(
        hash,
        async (manager) => (await execute(manager, DELETE_MARKED, mark)).affected > 0,
      );
    } finally {
      if (!isErased) {
        await this.change(UNMARK, mark.slice(0, 2));
      }
    }
    return isErased;
  }

  /** Erases those of the blobs to which nothing refers, and which nobody else stored since. */
  async discard(blobs: readonly HeldBlob[]): Promise<void> {
    for (const { hash, at } of blobs) {
      await this.deleteUnused(hash, at);
    }
  }

  /** Bytes that files can still take; null: nobody knows. */
  abstract freeBytes(): Promise<number | null>;

  protected abstract read(hash: string): Promise<Buffer | null>;

  protected abstract holds(hash: string): Promise<boolean>;

  /** Stores all bytes or none; others may write the same at the same time. */
  protected abstract write(hash: string, bytes: Uint8Array): Promise<void>;

  /** Within `Database.write`. It is no fault when there is nothing. */
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

  /** @returns the time under which it is registered */
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
      // Somebody stores the same bytes now, or erases them.
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

/** Marks of erasures from before this time are those of processes that died. */
export function deadSince(now: Date): Date {
  return new Date(now.getTime() - ERASING_MILLISECONDS);
}
