import { Injectable, Logger } from '@nestjs/common';
import { DelegateBackoff, handleWhen, retry } from 'cockatiel';
import { gauge } from '../../common/metrics/metrics';
import { ATTRIBUTES } from '../../common/tracing/conventions';
import { AdaptedRequest } from './generation/adapted-request';
import { describeCause, FailedRequests } from './generation/failed-requests';
import { Generation, requireFeatures, requireOutputLimit, whileResting } from './generation/generation';
import { type CostOf, type ModelSpan, ModelSpans } from './generation/model-spans';
import type { ProviderRequest } from './generation/provider-request';
import { LlmConfig } from './llm.config';
import {
  type Completion,
  type GenerationRequest,
  type GenerationResult,
  ReplyCollector,
  toGenerationResult,
} from './port/completion';
import type { CompletionListener } from './port/language-model-provider';
import { ContentRefusedError, type FailedModel, FeatureNotSupportedError, ModelProviderError } from './port/llm.errors';
import type { ModelReference, NamedModel } from './port/model-reference';
import { type AnthropicFeature, LONGEST_MODEL_NAME, type ProviderKind } from './port/provider-definition';
import { ModelKnowledge } from './providers/model-knowledge';
import { type ModelCandidate, ModelRegistry, type ProviderDescription } from './providers/model-registry';
import { ResilienceSettings } from './providers/resilience';

/** How long a provider may take to list its models. */
const LIST_MILLISECONDS = 10_000;

/**
 * The entry point to all language models. Start here to read this folder:
 *
 * - `port/` has the shared types: a request, its messages, a reply, and `language-model-provider.ts`, which each class
 *   of `adapters/` implements.
 * - `counting/` counts the tokens of texts and prompts.
 * - `providers/` manages the providers: `model-registry.ts` finds them by name, filled by `provider-directory.ts` from
 *   environment and database, and `model-knowledge.ts` stores what their models have refused.
 * - `generation/` handles one reply: its requests, its time limits, and the request in the form that its model accepts.
 *
 * This class adds what every caller needs: time limits, two retries, fallback models, a circuit breaker per provider,
 * and requests in the form that each model accepts. It never retries once a listener has received text or reasoning.
 */
@Injectable()
export class LanguageModels {
  private readonly logger = new Logger(LanguageModels.name);
  private readonly failures = new FailedRequests();

  constructor(
    private readonly config: LlmConfig,
    private readonly registry: ModelRegistry,
    private readonly settings: ResilienceSettings,
    private readonly knowledge: ModelKnowledge,
    private readonly spans: ModelSpans,
  ) {
    gauge(
      'model_provider_circuit_open',
      'Whether a model provider is left alone because it is down',
      () =>
        this.describe().map(({ provider, circuit }) => ({ labels: { provider }, value: Number(circuit === 'open') })),
      ['provider'],
    );
  }

  /** Call it in a constructor. The spans of requests get their costs. */
  onCost(costOf: CostOf): void {
    this.spans.onCost(costOf);
  }

  /** The provider used if a request names none. */
  get defaultProvider(): string {
    return this.registry.defaultProvider;
  }

  /**
   * Tokens of prompt and reply together that this model accepts: the wanted number, or the smaller one that its
   * provider has named in a refusal.
   *
   * @param wanted the agent's own setting; null: the setting of the provider, or LLM_CONTEXT_TOKENS
   */
  contextTokens({ provider, model }: ModelReference, wanted: number | null = null): number {
    const entry = this.registry.find(provider ?? this.defaultProvider);
    const configured = wanted ?? entry?.definition.contextTokens ?? this.config.LLM_CONTEXT_TOKENS;
    const named = model ?? entry?.provider.defaultModel;
    const known = entry && named ? this.knowledge.contextTokensOf({ provider: entry.provider, model: named }) : null;
    return Math.min(configured, known ?? Infinity);
  }

  /** The first model to call for this reference, and whether its provider exists. */
  lookUp({ provider, model }: ModelReference): FailedModel & { isKnown: boolean } {
    const name = provider ?? this.defaultProvider;
    const found = this.registry.find(name)?.provider;
    return {
      provider: found?.name ?? name,
      model: model ?? found?.defaultModel ?? null,
      host: found?.host ?? null,
      isKnown: found !== undefined,
    };
  }

  /**
   * The model `provider/model`; null if callers may not name it, or its provider is unknown. The model is everything
   * after the first slash, because model names may contain slashes.
   */
  modelNamed(text: string): NamedModel | null {
    const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(text) ?? [];
    if (!this.config.OPENAI_PASS_THROUGH || provider === undefined || model === undefined) {
      return null;
    }
    return model.length <= LONGEST_MODEL_NAME && this.lookUp({ provider, model }).isKnown ? { provider, model } : null;
  }

  /** Those of a model's fallback models whose providers have Anthropic's API and these features. */
  anthropicFallbacks<Fallback extends string | ModelReference>(
    provider: string | null,
    fallbacks: readonly Fallback[],
    features: readonly AnthropicFeature[],
  ): Fallback[] {
    return fallbacks.filter((fallback) => {
      const name = this.registry.parse(fallback, provider).provider ?? this.defaultProvider;
      const enabled = this.anthropicFeatures(name);
      return this.kindOf(name) === 'anthropic' && features.every((feature) => enabled.includes(feature));
    });
  }

  /** Whether a provider with this name exists and may be called. */
  isActive(provider: string): boolean {
    return this.registry.find(provider)?.definition.isActive ?? false;
  }

  /** Null if no provider has this name. */
  kindOf(provider: string): ProviderKind | null {
    return this.registry.find(provider)?.definition.kind ?? null;
  }

  /** The features of Anthropic's API that are enabled for a provider although all callers share their state. */
  anthropicFeatures(provider: string): readonly AnthropicFeature[] {
    return this.registry.find(provider)?.definition.anthropicFeatures ?? [];
  }

  /**
   * The models that a provider itself lists, by name.
   *
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError
   */
  async listModels(provider: string): Promise<string[]> {
    const candidate = this.registry.resolve({ provider, model: '' });
    try {
      const ids = await candidate.provider.listModels(AbortSignal.timeout(LIST_MILLISECONDS));
      candidate.health.listed();
      return ids;
    } catch (error) {
      if (error instanceof ModelProviderError) {
        candidate.health.notListed(error);
        error.failedModel = this.lookUp({ provider });
      }
      throw error;
    }
  }

  /** Every provider with its default model and state. */
  describe(): ProviderDescription[] {
    return this.registry.describe();
  }

  /**
   * Streams one reply to `listener`. If all models fail before the first token, it throws the failure of the first one.
   * If a provider's filter refuses a text, no other provider is called, because that would bypass the filter.
   *
   * @throws GenerationAbortedError immediately when `signal` aborts
   * @throws ContentRefusedError, ContextTooLongError, FeatureNotSupportedError: the caller can change the request
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError; `retryable` says whether a retry may help
   */
  generate(request: GenerationRequest, listener: CompletionListener, signal: AbortSignal): Promise<GenerationResult> {
    const total = (request.timeoutSeconds ?? this.config.LLM_TOTAL_TIMEOUT) * 1_000;
    // A reply that is not streamed arrives as a whole, after any time.
    const isWhole = request.anthropic !== undefined && request.anthropic.body.stream !== true;
    const limits = {
      firstToken: isWhole ? total : this.config.LLM_FIRST_TOKEN_TIMEOUT * 1_000,
      idle: isWhole ? total : this.config.LLM_IDLE_TIMEOUT * 1_000,
      total,
    };
    const captured = this.spans.capture(listener);
    const generation = new Generation(captured.listener, limits, signal);
    const fail = (error: unknown): void => generation.fail(error);
    // After the first token nothing may reference the request, because thousands of open replies would keep their
    // histories in memory.
    this.startWithFallback(request, generation).then(({ attempt, candidate, span }) => {
      attempt.result
        .then((result) => {
          span.end({ [ATTRIBUTES.finishReasons]: [result.finishReason] }, captured.output, result.usage ?? undefined);
          generation.succeed(toGenerationResult(result, candidate));
        })
        .catch((error: unknown) => {
          span.fail(error);
          this.failures.count(candidate, error);
          fail(error);
        });
    }, fail);
    return generation.result;
  }

  /**
   * Collects one reply, for callers that need its whole text at once.
   *
   * @throws the errors of `generate`
   */
  async complete(request: GenerationRequest, signal: AbortSignal = new AbortController().signal): Promise<Completion> {
    const collector = new ReplyCollector();
    return collector.toCompletion(await this.generate(request, collector, signal));
  }

  /** Refuses features that none of the models supports, before anything is stored. @throws FeatureNotSupportedError */
  requireFeatures(request: Parameters<ModelRegistry['missingFeature']>[0]): void {
    const missing = this.registry.missingFeature(request);
    if (missing !== null) {
      throw FeatureNotSupportedError.of(missing);
    }
  }

  private async startWithFallback(
    request: GenerationRequest,
    generation: Generation,
  ): Promise<{ attempt: ProviderRequest; candidate: ModelCandidate; span: ModelSpan }> {
    for (const reference of this.registry.referencesOf(request)) {
      if (generation.firstFailure !== null) {
        generation.announceRetry();
      }
      try {
        const candidate = this.registry.resolve(reference);
        requireFeatures(candidate, request);
        return await this.startModel(candidate, request, generation);
      } catch (error) {
        const isFinal = !(error instanceof ModelProviderError) || error instanceof ContentRefusedError;
        if (isFinal || !generation.mayRetry) {
          throw error;
        }
        generation.firstFailure ??= error;
      }
    }
    throw generation.firstFailure as ModelProviderError;
  }

  private async startModel(
    candidate: ModelCandidate,
    request: GenerationRequest,
    generation: Generation,
  ): Promise<{ attempt: ProviderRequest; candidate: ModelCandidate; span: ModelSpan }> {
    const span = this.spans.startGeneration(candidate, request);
    generation.span = span;
    try {
      const attempt = await this.spans.within(span, () => this.startWithRetries(candidate, request, generation));
      return { attempt, candidate, span };
    } catch (error) {
      span.fail(error);
      throw error;
    }
  }

  /**
   * Retries and the breaker end with the first token, because a half-open circuit must not wait minutes for a reply.
   */
  private startWithRetries(
    candidate: ModelCandidate,
    request: GenerationRequest,
    generation: Generation,
  ): Promise<ProviderRequest> {
    let pauses = 0;
    let pause: number | null = null;
    // Each reply has its own policy, because the allowed pause depends on the time left for this reply.
    const policy = retry(
      handleWhen((error) => {
        pause = this.settings.pauseAfter(error, pauses++);
        const isRetried = pause !== null && generation.hasTimeFor(pause) && candidate.restraint.takeRetry();
        if (isRetried) {
          generation.announceRetry();
          generation.span?.retry(error);
        }
        return isRetried;
      }),
      { maxAttempts: this.settings.retryDelays.length, backoff: new DelegateBackoff(() => pause ?? 0) },
    ).dangerouslyUnref();
    const adapted = new AdaptedRequest(this.knowledge, candidate, request);
    candidate.restraint.begin();
    // An administrator may change the provider during the pause. The old connections accept no new requests.
    return policy.execute(() => this.startAttempt(this.registry.presentOf(candidate), adapted, generation));
  }

  /** One request. A refusal of a parameter or a length does not end it: the request is changed and sent again. */
  private async startAttempt(
    candidate: ModelCandidate,
    adapted: AdaptedRequest,
    generation: Generation,
  ): Promise<ProviderRequest> {
    const { provider, model, breaker, restraint, health } = candidate;
    await whileResting(candidate, generation, this.settings);
    for (;;) {
      // The generation may end during the pause before a retry, which must not count against the provider.
      await generation.requireAnother();
      requireOutputLimit(candidate, adapted);
      try {
        const attempt = await breaker.execute(() => generation.startRequest(provider, adapted.completion));
        adapted.keepLearned();
        health.answered(model);
        return attempt;
      } catch (error) {
        if (generation.mayRetry && adapted.adapt(error)) {
          generation.span?.retry(error);
          this.logger.log(
            { provider: provider.name, model, cause: describeCause(error) },
            'The model is asked once more without what it refused.',
          );
        } else {
          restraint.note(model, error);
          this.failures.report(candidate, error);
          throw error;
        }
      }
    }
  }
}
