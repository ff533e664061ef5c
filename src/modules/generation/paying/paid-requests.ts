import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import type { CostBound } from '../../../integrations/llm/port/completion';
import type { AskedModel, ProviderUsage } from '../../../integrations/llm/port/language-model-provider';
import { BudgetAdmission, BudgetSettlement, type HoldKey, type Payer } from '../../budget/budget.api';
import { PriceBook } from '../../pricing/pricing.api';
import { ReplyRegistry } from '../running/reply-registry';
import { type PlannedRequest, RequestEstimates } from './request-estimates';

/** A request to models that is no reply, such as one for a title. */
export interface PaidOrder extends HoldKey {
  payer: Payer;
  request: PlannedRequest;
}

/** What became of it. */
export interface PaidOutcome {
  /** The model that was asked last; null: none was. */
  asked: AskedModel | null;
  /** Null: nobody counted; then its prompt is charged, if a model may have read it. */
  usage: ProviderUsage | null;
  /** Whether it failed, so that it cost nothing. */
  isFailed: boolean;
}

/** A request for which what it may cost is held. */
export interface PaidRequest {
  /** What it must keep to; null: nothing. */
  bound: CostBound | null;
  /** Call it within `Database.write`, once, whatever became of the request. Null: nothing is held. */
  settle: ((manager: EntityManager, outcome: PaidOutcome) => Promise<void>) | null;
}

const UNCHARGED: PaidRequest = { bound: null, settle: null };

/** Holds what requests may cost that are no replies. */
@Injectable()
export class PaidRequests {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly admission: BudgetAdmission,
    private readonly settlement: BudgetSettlement,
    private readonly estimates: RequestEstimates,
    private readonly prices: PriceBook,
    private readonly registry: ReplyRegistry,
  ) {}

  /** @throws BudgetExceededError, ModelNotPricedError */
  async begin({ messageId, name, payer, request }: PaidOrder): Promise<PaidRequest> {
    const at = this.clock.now();
    if (!(await this.admission.applies(payer, at))) {
      return UNCHARGED;
    }
    let bound: CostBound | null = null;
    const { ownerId } = this.registry;
    const estimate = async (isHard: boolean): ReturnType<RequestEstimates['of']> => {
      const planned = await this.estimates.of([request], at, isHard);
      bound = planned.bound;
      return planned;
    };
    const order = { messageId, name, payer, at, ownerId, estimate };
    const hold = await this.admission.run(() => this.database.write((manager) => this.admission.admit(manager, order)));
    return hold === null
      ? UNCHARGED
      : { bound, settle: (manager, outcome) => this.settle(manager, { messageId, name }, at, outcome) };
  }

  private async settle(
    manager: EntityManager,
    key: HoldKey,
    at: Date,
    { asked, usage, isFailed }: PaidOutcome,
  ): Promise<void> {
    const isUncertain = usage === null && asked !== null && !isFailed;
    const cost = usage === null || asked === null ? 0n : await this.costOf(asked, at, usage);
    await this.settlement.settle(manager, key, { cost, isUncertain });
  }

  private async costOf(asked: AskedModel, at: Date, usage: ProviderUsage): Promise<bigint | null> {
    const { prompt_tokens, completion_tokens, cached_tokens: cached, reasoning_tokens: reasoning } = usage;
    const counted = { prompt: prompt_tokens, completion: completion_tokens, cached, reasoning };
    return (await this.prices.costOf(asked, at, { ...counted, cacheWrite: 0, images: 0, requests: 1 })).cost;
  }
}
