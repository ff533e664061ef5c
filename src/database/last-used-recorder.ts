import type { EntityTarget, ObjectLiteral } from 'typeorm';
import type { Clock } from '../common/clock';
import { MINUTE_MILLISECONDS } from '../common/time';
import type { Database } from './database';
import { idIn } from './statements/row-condition';
import { updateRows } from './statements/update';

/** How exact `lastUsedAt` is, when `flush` is called so often. */
export const LAST_USE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Rows that are noted between two writes at most. Further ones are noted after the next write. */
const MOST_NOTED = 20_000;

const BATCH = 500;

/** A row that says when it was used last. */
interface UsedRow extends ObjectLiteral {
  id: number;
  lastUsedAt: Date | null;
}

/** Remembers which rows of a table are in use, and stores it from time to time, so that no request waits for it. */
export class LastUsedRecorder {
  private readonly used = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly entity: EntityTarget<UsedRow>,
  ) {}

  /** A request used the row with this id. */
  note(id: number): void {
    if (this.used.size < MOST_NOTED) {
      this.used.add(id);
    }
  }

  /** Stores what was noted. */
  async flush(): Promise<void> {
    // In one order, so that no two instances wait for each other.
    const ids = [...this.used].sort((one, other) => one - other);
    this.used.clear();
    const lastUsedAt = this.clock.now();
    for (let start = 0; start < ids.length; start += BATCH) {
      const { condition, parameters } = idIn(ids.slice(start, start + BATCH));
      await this.database.write((manager) => updateRows(manager, this.entity, { lastUsedAt }, condition, parameters));
    }
  }
}
