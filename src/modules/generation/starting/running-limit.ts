import { Injectable } from '@nestjs/common';
import type { Tier } from '../../../common/security/principal';
import type { Check, Statement } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { runForRow } from '../../../database/statements/run-statement';
import { type Spender, UsageService } from '../../usage/usage.api';
import { GenerationConfig } from '../generation.config';
import { TooManyConcurrentError } from '../generation.errors';
import { ReplyPlaces } from '../reply/reply-places';

/** Limits how many replies a user may have running at once. */
@Injectable()
export class RunningLimit {
  private statement: string | null = null;

  constructor(
    private readonly config: GenerationConfig,
    private readonly database: Database,
    private readonly places: ReplyPlaces,
    private readonly usage: UsageService,
  ) {}

  /**
   * Whether a reply may run, to be asked last in the transaction that stores its beginning. The user's own rows are locked then,
   * so two sends of one user see each other. It throws TooManyConcurrentError when this reply is one too many.
   */
  check({ userId, tier }: Pick<Spender, 'userId' | 'tier'>): Check {
    const limit = this.limitOf(tier);
    return {
      ...this.countOf(userId),
      judge: (row) => {
        if (Number(row?.[0]) > limit) {
          throw new TooManyConcurrentError(limit);
        }
      },
    };
  }

  /**
   * The same before the reply is stored, for a request that will take a message.
   *
   * @throws QuotaExceededError, TooManyConcurrentError
   */
  async requireRoom(spender: Spender): Promise<void> {
    await this.usage.requireAnyLeft(spender);
    await this.assertMayBegin(spender);
  }

  /** Whether there is room for one more. @throws TooManyConcurrentError */
  async assertMayBegin({ userId, tier }: Pick<Spender, 'userId' | 'tier'>): Promise<void> {
    const limit = this.limitOf(tier);
    const { sql, values } = this.countOf(userId);
    const row = await runForRow(this.database.manager, sql, values);
    if (Number(row?.[0]) >= limit) {
      throw new TooManyConcurrentError(limit);
    }
  }

  /** Counts the running replies of a user. */
  private countOf(userId: number): Statement {
    const { all } = this.places;
    this.statement ??= `SELECT ${all.map(({ countRunning }) => `(${countRunning})`).join(' + ')}`;
    return { sql: this.statement, values: all.map(() => userId) };
  }

  private limitOf(tier: Tier): number {
    const { CONCURRENT_NORMAL, CONCURRENT_PAID, CONCURRENT_ADMIN } = this.config;
    return { normal: CONCURRENT_NORMAL, paid: CONCURRENT_PAID, admin: CONCURRENT_ADMIN }[tier];
  }
}
