import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { AttemptLog } from '../attempts/attempt-log';

const KIND = 'code-failures';

/** After so many wrong codes in a row, over all codes of an address, its codes are refused for a day. */
const MOST_IN_A_ROW = 100;
const REFUSED_SECONDS = 86_400;

/** How long a series of failures is remembered without a new one. */
const KEPT_SECONDS = 30 * 86_400;

/** Stops somebody who guesses one code after another of the same address for days. */
@Injectable()
export class CodeFailures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attempts: AttemptLog,
  ) {}

  /** Seconds for which the address's codes are still refused; 0 when they are not. */
  async refusedFor(email: string): Promise<number> {
    const times = await this.attempts.read(KIND, email);
    const last = times[MOST_IN_A_ROW - 1];
    return last === undefined ? 0 : Math.max(0, last / 1_000 + REFUSED_SECONDS - this.clock.now().getTime() / 1_000);
  }

  async areTooMany(email: string): Promise<boolean> {
    return (await this.refusedFor(email)) > 0;
  }

  async add(email: string): Promise<void> {
    await this.database.write((manager) => this.attempts.addToRun(manager, KIND, email, MOST_IN_A_ROW, KEPT_SECONDS));
  }

  async clear(manager: EntityManager, email: string): Promise<void> {
    await this.attempts.clear(manager, KIND, email);
  }
}
