import type { EntityTarget, ObjectLiteral } from 'typeorm';
import type { Clock } from '../common/clock';
import { MINUTE_MILLISECONDS } from '../common/time';
import type { Database } from './database';
import { idIn } from './statements/row-condition';
import { updateRows } from './statements/update';

/** The precision of `lastUsedAt` if `flush` is called this often. */
export const LAST_USE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Most rows recorded between two writes. Further rows are recorded after the next write. */
const MOST_NOTED = 20_000;

const BATCH = 500;

/** A row with the time of its last use. */
interface UsedRow extends ObjectLiteral {
  id: number;
  lastUsedAt: Date | null;
}

/** Records which rows of a table are in use, and stores this periodically, so that no request waits for it. */
export class LastUsedRecorder {
  private readonly used = new Map<number, Date>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly entity: EntityTarget<UsedRow>,
  ) {}

  /** Records that a request used the row with this id. */
  note(id: number): void {
    if (this.used.size < MOST_NOTED || this.used.has(id)) {
      this.used.set(id, this.clock.now());
    }
  }

  /** The last use of a row that is recorded but not stored yet; null: none. */
  notedOf(id: number): Date | null {
    return this.used.get(id) ?? null;
  }

  /** Stores what was recorded. */
  async flush(): Promise<void> {
    // Sorted, so that no two instances wait for each other.
    const ids = [...this.used.keys()].sort((one, other) => one - other);
    const lastUsedAt = this.clock.now();
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      const { condition, parameters } = idIn(batch);
      await this.database.write((manager) => updateRows(manager, this.entity, { lastUsedAt }, condition, parameters));
      // Rows that were used again during the write are stored by the next one.
      batch.filter((id) => (this.used.get(id) ?? lastUsedAt) <= lastUsedAt).forEach((id) => this.used.delete(id));
    }
  }
}
