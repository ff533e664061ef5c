import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from './database';
import { runForRow } from './statements/run-statement';

/** How long an instance may use an answer. */
const BELIEF_MILLISECONDS = 250;

/** A number that transactions must know approximately; 0 until it was queried. */
export interface StandingQuestion {
  readonly answer: number;
}

/**
 * Values that many transactions need and that seldom change. They are queried together, by one statement, at most four
 * times a second. Code that changes such a value waits until no instance can still use the old one.
 */
@Injectable()
export class StandingQuestions {
  private readonly questions: { sql: string; answer: number }[] = [];
  private statement: string | null = null;
  /** Milliseconds of the monotonic clock. */
  private believedUntil = -Infinity;

  constructor(private readonly database: Database) {}

  /**
   * Call it in a constructor.
   *
   * @param sql an expression whose value is a whole number
   */
  add(sql: string): StandingQuestion {
    const question = { sql, answer: 0 };
    this.questions.push(question);
    this.statement = null;
    return question;
  }

  /** Call it within `Database.write`. From here on, no answer is older than a quarter of a second. */
  async ask(manager: EntityManager): Promise<void> {
    if (performance.now() < this.believedUntil) {
      return;
    }
    // The answer counts from the time of the query, however late it arrives.
    const askedAt = performance.now();
    this.statement ??= `SELECT ${this.questions.map(({ sql }) => sql).join(', ')}`;
    const answers = (await runForRow(manager, this.statement, [])) ?? [];
    this.questions.forEach((question, index) => (question.answer = Number(answers[index] ?? 0)));
    this.believedUntil = askedAt + BELIEF_MILLISECONDS;
  }

  /** Await it after the commit that changed a value, before you report that the change applies on all instances. */
  async untilAsked(): Promise<void> {
    this.believedUntil = -Infinity;
    if (this.database.isShared) {
      await delay(BELIEF_MILLISECONDS);
    }
  }
}
