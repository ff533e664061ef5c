import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { counter } from '../../../common/metrics/metrics';
import { Database } from '../../../database/database';
import { EmbeddingModels } from '../../../integrations/llm/embedding-models';
import {
  EmbeddingAnswerError,
  EmbeddingLostError,
  type EmbeddingRequest,
  type EmbeddingResult,
} from '../../../integrations/llm/port/embedding';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import { type EmbeddingPayer, EmbeddingPayments, type OpenEmbedding } from '../../generation/generation.api';
import { EmbeddingQuota } from '../../usage/usage.api';

/** Whether the provider gave no answer, or none that is useful. */
export function isUselessAnswer(error: unknown): boolean {
  return error instanceof EmbeddingAnswerError || error instanceof EmbeddingLostError;
}

/** A request to an embedding model. */
export interface PaidRequest {
  payer: EmbeddingPayer;
  model: NamedModel;
  request: Omit<EmbeddingRequest, 'model'>;
  /** Estimate of its tokens. */
  tokens: number;
}

/** What happens to the rows of the caller, each time in the transaction with the payment. */
export interface RequestRows<Result> {
  /** Before the request is sent. @param requestId of its row in `side_requests` */
  begin?: (manager: EntityManager, requestId: number) => Promise<void>;
  /** Locks what `begin` has locked, before the payment locks budgets, as there. */
  lock?: (manager: EntityManager) => Promise<unknown>;
  /** @param cost null: no price */
  succeed: (manager: EntityManager, result: EmbeddingResult, cost: bigint | null) => Promise<Result>;
  /** The request was definitely not executed, or what it returned is useless. */
  fail?: (manager: EntityManager) => Promise<void>;
  /** Its outcome is unknown. */
  lose?: (manager: EntityManager) => Promise<void>;
}

/** Sends requests to embedding models, one attempt each, and pays for them: the admission of budgets, quota, ledger. */
@Injectable()
export class EmbeddingRequests {
  private readonly logger = new Logger(EmbeddingRequests.name);
  private readonly tokens = counter('embedding_tokens_total', 'Tokens that were embedded', ['provider', 'model']);
  private readonly lost = counter(
    'embedding_batches_lost_total',
    'Requests to embedding models without a response',
    [],
    [{}],
  );

  constructor(
    private readonly database: Database,
    private readonly models: EmbeddingModels,
    private readonly payments: EmbeddingPayments,
    private readonly quota: EmbeddingQuota,
  ) {}

  /**
   * @throws BudgetExceededError, ModelNotPricedError, QuotaExceededError before anything is sent; ModelProviderError if
   * it was definitely not executed; EmbeddingAnswerError; EmbeddingLostError
   */
  async send<Result>(
    { payer, model, request, tokens }: PaidRequest,
    rows: RequestRows<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await this.quota.requireLeft(payer.userId);
    const named = { provider: this.models.nameOf(model.provider), model: model.model };
    const open = await this.payments.open(payer, named, tokens, async (manager, id) => rows.begin?.(manager, id));
    let result: EmbeddingResult;
    try {
      result = await this.models.embed(named, request, signal);
    } catch (error) {
      throw await this.settleFailure(open, error, rows);
    }
    this.tokens.inc(named, result.tokens ?? tokens);
    return this.database.write(async (manager) => {
      await rows.lock?.(manager);
      const cost = await this.payments.charge(manager, open, result);
      await this.quota.count(manager, payer.userId, result.tokens ?? tokens);
      return rows.succeed(manager, result, cost);
    });
  }

  /** For a request whose process died. */
  countLost(): void {
    this.lost.inc();
  }

  private async settleFailure(open: OpenEmbedding, error: unknown, rows: RequestRows<unknown>): Promise<unknown> {
    if (error instanceof ModelProviderError) {
      await this.database.write(async (manager) => {
        await this.payments.release(manager, open);
        await rows.fail?.(manager);
      });
      return error;
    }
    if (error instanceof EmbeddingAnswerError) {
      const { tokens, message } = error;
      this.logger.warn({ reason: message }, 'An embedding model answered with something else than vectors.');
      await this.database.write(async (manager) => {
        await this.payments.charge(manager, open, { tokens, model: null });
        await rows.fail?.(manager);
      });
      return error;
    }
    this.countLost();
    await this.database.write(async (manager) => {
      await this.payments.charge(manager, open, null);
      await rows.lose?.(manager);
    });
    return error instanceof EmbeddingLostError ? error : new EmbeddingLostError('The request ended.', { cause: error });
  }
}
