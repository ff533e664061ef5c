import { Injectable } from '@nestjs/common';
import { Attention } from '../common/attention/attention';
import { databaseRefusal } from '../common/errors/database-refusal';
import { gauge } from '../common/metrics/metrics';
import { Database } from './database';

/**
 * How long a sign of life may be pending or failing, in milliseconds. With the pause between two signs it is less than
 * the ten seconds after which the service must not report that it is ready.
 */
const PATIENCE_MILLISECONDS = 6_000;

/**
 * The log of SQLite overwrites itself, so short writes succeed for a while after the disk is full. With less free
 * space, the disk counts as full.
 */
const LEAST_FREE_BYTES = 1_048_576;

/**
 * Whether the database takes writes. It learns this from the signs of life that each instance writes, so no probe costs
 * a statement. Reads would not detect a primary that has become a replica, or a full disk.
 */
@Injectable()
export class Writability {
  /** When the first sign without success began, by the monotonic clock; null while all succeed. */
  private failingSince: number | null = null;
  /** Whether the last sign was refused in a way that applies to all writes. */
  private isRefused = false;
  /** When the first of these signs failed; null while all succeed. */
  private failedAt: Date | null = null;

  constructor(
    private readonly database: Database,
    attention: Attention,
  ) {
    attention.add(() =>
      this.isWritable ? [] : [{ kind: 'database_read_only', since: this.failedAt, count: 1, target: null }],
    );
    gauge('database_writable', 'Whether the database takes writes, as the signs of life of this instance show', () =>
      Number(this.isWritable),
    );
  }

  get isWritable(): boolean {
    const isLate = this.failingSince !== null && performance.now() - this.failingSince > PATIENCE_MILLISECONDS;
    return !this.isRefused && !isLate;
  }

  /** Writes a sign of life, and records its outcome. */
  async watch<Result>(write: () => Promise<Result>): Promise<Result> {
    this.failingSince ??= performance.now();
    try {
      const result = await write();
      this.failingSince = null;
      this.isRefused = ((await this.database.freeBytes()) ?? Infinity) < LEAST_FREE_BYTES;
      this.failedAt = this.isRefused ? (this.failedAt ?? new Date()) : null;
      return result;
    } catch (error) {
      const refusal = databaseRefusal(error);
      this.failedAt ??= new Date();
      this.isRefused = refusal === 'read_only' || refusal === 'no_space' || refusal === 'locked_out';
      throw error;
    }
  }
}
