import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { runForRow } from '../../../database/statements/run-statement';
import { type Spender, UsageService } from '../../usage/usage.api';
import { GenerationConfig } from '../generation.config';
import { TooManyConcurrentError } from '../generation.errors';
import { ReplyTables } from '../reply/reply-origin';

/** Limits the concurrent replies of a user. */
@Injectable()
export class RunningLimit {
  private statement: string | null = null;

  constructor(
    private readonly config: GenerationConfig,
    private readonly database: Database,
    private readonly places: ReplyTables,
    private readonly usage: UsageService,
  ) {}

  /**
   * Call it last in the transaction that stores the start of a reply. The user's rows are locked then, so that two
   * requests of one user see each other.
   *
   * @throws TooManyConcurrentError when this reply is one too many.
   */
  async assertMayRun(manager: EntityManager, userId: number, tier: Tier): Promise<void> {
    const limit = this.limitOf(tier);
    if ((await this.running(manager, userId)) > limit) {
      throw new TooManyConcurrentError(limit);
    }
  }

  /**
   * The same check before the reply is stored, for a request that will add a message.
   *
   * @throws QuotaExceededError, TooManyConcurrentError
   */
  async requireQuota(spender: Spender): Promise<void> {
    await this.usage.requireAnyLeft(spender);
    await this.assertMayBegin(spender);
  }

  /**
   * Checks that one more reply may start.
   *
   * @param others what else takes places of the user
   * @throws TooManyConcurrentError
   */
  async assertMayBegin({ userId, tier }: Pick<Spender, 'userId' | 'tier'>, others = 0): Promise<void> {
    const limit = this.limitOf(tier);
    if ((await this.running(this.database.manager, userId)) + others >= limit) {
      throw new TooManyConcurrentError(limit);
    }
  }

  private async running(manager: EntityManager, userId: number): Promise<number> {
    const { all } = this.places;
    this.statement ??= `SELECT ${all.map(({ countRunning }) => `(${countRunning})`).join(' + ')}`;
    const [running] = (await runForRow(
      manager,
      this.statement,
      all.map(() => userId),
    )) as [number | string];
    return Number(running);
  }

  private limitOf(tier: Tier): number {
    const { CONCURRENT_NORMAL, CONCURRENT_PAID, CONCURRENT_ADMIN } = this.config;
    return { normal: CONCURRENT_NORMAL, paid: CONCURRENT_PAID, admin: CONCURRENT_ADMIN }[tier];
  }
}
