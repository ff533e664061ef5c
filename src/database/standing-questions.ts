import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from './database';
import { runForRow } from './statements/run-statement';

/** How long an instance may go on believing an answer. */
const BELIEF_MILLISECONDS = 250;

/** What transactions must roughly know, as a number; 0 until it was asked. */
export interface StandingQuestion {
  readonly answer: number;
}

/**
 * Questions whose answers many transactions need, and which others change seldom. They are asked together, by one statement,
 * at most once in a quarter of a second. So who changes such an answer waits until no instance can still believe the old one.
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

  /** Within `Database.write`: from here on, no answer is older than a quarter of a second. */
  async ask(manager: EntityManager): Promise<void> {
    if (performance.now() < this.believedUntil) {
      return;
    }
    // What was true at the time of the question is believed from then on, however late the answer comes.
    const askedAt = performance.now();
    this.statement ??= `SELECT ${this.questions.map(({ sql }) => sql).join(', ')}`;
    const answers = (await runForRow(manager, this.statement, [])) ?? [];
    this.questions.forEach((question, index) => (question.answer = Number(answers[index] ?? 0)));
    this.believedUntil = askedAt + BELIEF_MILLISECONDS;
  }

  /** To be awaited between the commit that changed an answer and telling anybody that it is so everywhere. */
  async untilAsked(): Promise<void> {
    this.believedUntil = -Infinity;
    if (this.database.isShared) {
      await delay(BELIEF_MILLISECONDS);
    }
  }
}
