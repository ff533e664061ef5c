import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { growingCache } from '../../common/cache/growing-cache';
import { ModelSpans } from './generation/model-spans';
import { type CalledModel, newCalledModel } from './port/called-model';
import type { EmbeddingRequest, EmbeddingResult } from './port/embedding';
import { EmbeddingAnswerError, EmbeddingLostError } from './port/embedding';
import { ModelProviderError } from './port/llm.errors';
import type { NamedModel } from './port/model-reference';
import { ModelRegistry } from './providers/model-registry';
import { isProvidersFault, type OutcomeReason, reasonOf } from './providers/provider-outcome';

/** Models whose last results are kept. */
const MOST_MODELS = 100;

/** The result of the last request to an embedding model, on this instance. */
export interface EmbeddingOutcome {
  at: Date;
  /** Why the model failed; null: it has not. */
  reason: OutcomeReason | null;
}

/** Calls embedding models. The callers pay, wait and try again. */
@Injectable()
export class EmbeddingModels {
  private use: (manager: EntityManager, provider: string) => Promise<boolean> = () => Promise.resolve(false);

  private readonly outcomes = growingCache<string, EmbeddingOutcome>(MOST_MODELS);

  constructor(
    private readonly registry: ModelRegistry,
    private readonly spans: ModelSpans,
  ) {}

  /** For the part that chooses the model: sets how to find out whether a provider is used. Call it in a constructor. */
  onUse(use: (manager: EntityManager, provider: string) => Promise<boolean>): void {
    this.use = use;
  }

  /** Within `Database.write`: whether passages are embedded by this provider, so that it must stay. */
  isUsed(manager: EntityManager, provider: string): Promise<boolean> {
    return this.use(manager, provider);
  }

  /** Whether a provider of this name exists and can embed texts. */
  canEmbed(provider: string): boolean {
    return this.registry.find(provider)?.provider.canEmbed ?? false;
  }

  /** The name under which prices and the ledger have the provider. */
  nameOf(provider: string): string {
    return this.registry.find(provider)?.provider.name ?? provider;
  }

  /** Null: no request was sent yet. */
  lastOutcomeOf(model: NamedModel): EmbeddingOutcome | null {
    return this.outcomes.get(this.keyOf(model)) ?? null;
  }

  /**
   * One request.
   *
   * @throws ModelProviderError if it was definitely not executed; EmbeddingLostError if that is unknown;
   * EmbeddingAnswerError, also for vectors of another length than wanted
   */
  async embed(
    { provider, model }: NamedModel,
    request: Omit<EmbeddingRequest, 'model'>,
    signal: AbortSignal,
  ): Promise<EmbeddingResult> {
    const candidate = this.registry.resolve({ provider, model });
    const span = this.spans.start('embeddings', candidate, {}, { kind: 'embedding' });
    const called = newCalledModel({ provider: candidate.provider.name, model, images: 0 });
    span.note(called);
    try {
      const result = await candidate.provider.embed({ ...request, model, ...span.headers }, signal);
      noteResult(called, result);
      const expected = request.dimensions ?? request.length ?? null;
      if (expected !== null && result.vectors.some(({ length }) => length !== expected)) {
        throw new EmbeddingAnswerError('The vectors have another length.', result.tokens);
      }
      candidate.health.answered(model);
      this.outcomes.set(this.keyOf({ provider, model }), { at: new Date(), reason: null });
      span.end({}, null);
      return result;
    } catch (error) {
      span.fail(error);
      const reason = failureReasonOf(error, signal);
      if (reason !== null) {
        this.outcomes.set(this.keyOf({ provider, model }), { at: new Date(), reason });
      }
      if (error instanceof ModelProviderError) {
        error.failedModel = { provider, model, host: candidate.provider.host };
      }
      throw error;
    }
  }
  private keyOf({ provider, model }: NamedModel): string {
    return `${this.nameOf(provider)}/${model}`;
  }
}

function noteResult(called: CalledModel, { tokens, model }: EmbeddingResult): void {
  called.answered = model;
  if (tokens !== null) {
    const nothing = { completion_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
    called.usage = { prompt_tokens: tokens, ...nothing };
  }
}

/** Null: the provider is not the cause, but the request, or the caller who has ended it. */
function failureReasonOf(error: unknown, { aborted, reason }: AbortSignal): OutcomeReason | null {
  if (error instanceof ModelProviderError) {
    return isProvidersFault(error) ? reasonOf(error) : null;
  }
  if (error instanceof EmbeddingLostError && aborted) {
    return (reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : null;
  }
  return error instanceof EmbeddingLostError ? 'unreachable' : 'failed';
}
