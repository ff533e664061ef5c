import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from './database';
import { runForRow } from './statements/run-statement';

/** How long an instance may use a value. */
const FRESH_MILLISECONDS = 250;

/** A number that transactions must know approximately; 0 until it was queried. */
export interface PolledValue {
  readonly value: number;
}

/**
 * Values that many transactions need and that seldom change. They are queried together, by one statement, at most four
 * times a second. Code that changes such a value waits until no instance can still use the old one.
 */
@Injectable()
export class PolledValues {
  private readonly values: { sql: string; value: number }[] = [];
  private statement: string | null = null;
  /** Milliseconds of the monotonic clock. */
  private freshUntil = -Infinity;

  constructor(private readonly database: Database) {}

  /**
   * Call it in a constructor.
   *
   * @param sql an expression whose value is a whole number
   */
  add(sql: string): PolledValue {
    const polled = { sql, value: 0 };
    this.values.push(polled);
    this.statement = null;
    return polled;
  }

  /** Call it within `Database.write`. From here on, no value is older than a quarter of a second. */
  async refresh(manager: EntityManager): Promise<void> {
    if (performance.now() < this.freshUntil) {
      return;
    }
    // The result counts from the time of the query, however late it arrives.
    const queriedAt = performance.now();
    this.statement ??= `SELECT ${this.values.map(({ sql }) => sql).join(', ')}`;
    const cells = (await runForRow(manager, this.statement, [])) ?? [];
    this.values.forEach((polled, index) => (polled.value = Number(cells[index] ?? 0)));
    this.freshUntil = queriedAt + FRESH_MILLISECONDS;
  }

  /** Await it after the commit that changed a value, before you report that the change applies on all instances. */
  async untilRefreshed(): Promise<void> {
    this.freshUntil = -Infinity;
    if (this.database.isShared) {
      await delay(FRESH_MILLISECONDS);
    }
  }
}
