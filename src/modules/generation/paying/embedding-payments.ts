import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatAmount } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import { BudgetAdmission, BudgetSettlement, type Hold, type HoldKey } from '../../budget/budget.api';
import { PriceBook } from '../../pricing/pricing.api';
import { SideCosts } from '../../usage/usage.api';
import { ReplyRegistry } from '../reply/reply-registry';
import { type PlannedCost, RequestEstimates } from './request-estimates';

/** The payer of embeddings. User 0 is the service. */
export interface EmbeddingPayer {
  userId: number;
  apiKeyId: number | null;
}

/** A request that is about to be sent. */
export interface OpenEmbedding {
  /** Identifies it in the database. */
  id: number;
  hold: Hold | null;
  payer: EmbeddingPayer;
  at: Date;
}

/**
 * Records requests to embedding models before they are sent, and holds their cost in the budgets of their payer. If the
 * process dies, the requests of its instance are charged by their estimates.
 */
@Injectable()
export class EmbeddingPayments {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sharedClock: SharedClock,
    private readonly admission: BudgetAdmission,
    private readonly settlement: BudgetSettlement,
    private readonly estimates: RequestEstimates,
    private readonly registry: ReplyRegistry,
    private readonly costs: SideCosts,
    private readonly prices: PriceBook,
  ) {}

  /**
   * @param within runs in the same transaction
   * @throws BudgetExceededError, ModelNotPricedError, and the errors of `within`
   */
  async open(
    payer: EmbeddingPayer,
    model: NamedModel,
    tokens: number,
    within: (manager: EntityManager, id: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<OpenEmbedding> {
    const at = this.clock.now();
    const { ownerId } = this.registry;
    const key: HoldKey = { messageId: 0, name: `embed:${randomUUID().replaceAll('-', '')}` };
    const planned = { models: model, prompt: tokens, countedTokens: null, images: 0, output: 0 };
    const estimate = (isHard: boolean): Promise<PlannedCost> => this.estimates.of([planned], at, isHard);
    const order = { ...key, payer: { ...payer, agentId: 0 }, at, ownerId, estimate };
    const row = {
      ...{ ownerId, kind: 'embedding' as const, holdName: key.name, ...payer, chatId: 0, agentId: 0, messageId: null },
      ...{ provider: model.provider, model: model.model, promptTokens: tokens, askedAt: this.sharedClock.now() },
    };
    return this.admission.run(() =>
      this.database.write(async (manager) => {
        const id = await this.costs.begin(manager, row);
        await within(manager, id);
        await this.estimates.markBegun([model], at);
        return { id, hold: await this.admission.admit(manager, order), payer, at };
      }),
    );
  }

  /** Whether a request is running. False: it has ended, or its instance died and another one charged it. */
  isOpen(id: number): Promise<boolean> {
    return this.costs.isRunning(id);
  }

  /** The cost of so many tokens by the present prices; null: the model has no price. */
  async estimate(model: NamedModel, tokens: number): Promise<string | null> {
    const at = this.clock.now();
    if (!(await this.prices.hasPrice(model, at))) {
      return null;
    }
    const planned = { models: model, prompt: tokens, countedTokens: null, images: 0, output: 0 };
    return formatAmount((await this.estimates.of([planned], at, false)).most);
  }

  /**
   * Within `Database.write`: charges a request that may have been executed.
   *
   * @param answer null: the outcome is unknown, and the estimate is charged
   * @returns its cost; null if it has no price, or if another instance charged it
   */
  async charge(
    manager: EntityManager,
    { id, hold, payer, at }: OpenEmbedding,
    answer: { tokens: number | null; model: string | null } | null,
  ): Promise<bigint | null> {
    const spent = await this.costs.finish(manager, id, answer ?? { tokens: null, model: null });
    if (spent === null) {
      return null;
    }
    const charged = { payer: { ...payer, agentId: 0 }, at };
    await this.settlement.charge(manager, hold, { cost: spent.cost, isUncertain: false }, charged);
    return spent.cost;
  }

  /** Within `Database.write`: releases a request that was definitely not executed. */
  async release(manager: EntityManager, { id, hold }: OpenEmbedding): Promise<void> {
    if ((await this.costs.drop(manager, id)) && hold !== null) {
      await this.settlement.settle(manager, hold, { cost: 0n, isUncertain: false });
    }
  }
}
