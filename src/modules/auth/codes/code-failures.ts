import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { AttemptLog } from '../attempts/attempt-log';
import { type AccountClient, sharedCounter } from '../clients/account-client';

const KIND = 'code-failures';

/** After this many wrong codes in a row, over all codes of an address, its codes are refused for a day. */
const MOST_IN_A_ROW = 100;
const REFUSED_MILLISECONDS = 86_400_000;

/** How long a series of failures is kept after the last one. */
const KEPT_SECONDS = 30 * 86_400;

/**
 * Limits guessing of successive codes of the same address over days. Each client that the account knows has its own
 * limit, and all others share one.
 */
@Injectable()
export class CodeFailures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attempts: AttemptLog,
  ) {}

  /** Whether the client's codes for this address are refused. */
  async areTooMany(client: AccountClient): Promise<boolean> {
    const times = await this.attempts.read(KIND, sharedCounter(client));
    const last = times[MOST_IN_A_ROW - 1];
    return last !== undefined && last + REFUSED_MILLISECONDS > this.clock.now().getTime();
  }

  async add(client: AccountClient): Promise<void> {
    await this.database.write((manager) =>
      this.attempts.addToRun(manager, KIND, sharedCounter(client), MOST_IN_A_ROW, KEPT_SECONDS),
    );
  }

  async clear(manager: EntityManager, client: AccountClient): Promise<void> {
    await this.attempts.clear(manager, KIND, sharedCounter(client));
  }
}
