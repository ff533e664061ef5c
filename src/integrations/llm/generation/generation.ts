import { setTimeout as delay } from 'node:timers/promises';
import { type CalledModel, newCalledModel } from '../port/called-model';
import type { CostBound, GenerationRequest, GenerationResult } from '../port/completion';
import type { CompletionListener, CompletionRequest, LanguageModelProvider } from '../port/language-model-provider';
import {
  FeatureNotSupportedError,
  GenerationAbortedError,
  ModelNotPricedError,
  type ModelProviderError,
  type UnpricedReason,
} from '../port/llm.errors';
import type { MessagePart } from '../port/message-parts';
import type { ModelCandidate } from '../providers/model-registry';
import type { ResilienceSettings } from '../providers/resilience';
import type { AdaptedRequest } from './adapted-request';
import type { ModelSpan } from './model-spans';
import { ProviderRequest, type RequestLimits, timeoutError } from './provider-request';

/** A pause before another request must leave this share of the total time for the model's answer. */
const SHARE_FOR_ANSWER = 0.25;

/** Time limits of one generation, in milliseconds; `total` spans all its requests. */
export interface GenerationLimits extends RequestLimits {
  total: number;
}

/**
 * One reply with all its requests. It enforces the total time limit and the caller's signal, and tracks whether text
 * was passed on.
 */
export class Generation {
  /** The end of the reply; rejects as soon as the caller aborts or the total time is over. */
  readonly result: Promise<GenerationResult>;

  /** Why the first model failed. The caller gets this failure if all further models fail too. */
  firstFailure: ModelProviderError | null = null;

  /** The span of the model that is called now. */
  span: ModelSpan | null = null;

  /** Why the last request failed; null: none has. */
  private lastFailure: Error | null = null;
  private isRefusedAnother = false;
  private readonly startedAt = performance.now();
  private request: ProviderRequest | null = null;
  private endError: Error | null = null;
  private settle!: { resolve(result: GenerationResult): void; reject(error: unknown): void };
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = (): void => this.end(new GenerationAbortedError());

  constructor(
    private readonly listener: CompletionListener,
    private readonly limits: GenerationLimits,
    private readonly signal: AbortSignal,
  ) {
    this.result = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.timer = setTimeout(() => this.endInTime(), limits.total);
    if (signal.aborted) {
      this.onAbort();
    } else {
      signal.addEventListener('abort', this.onAbort, { once: true });
    }
  }

  /** Whether another request is allowed: no text was passed on, and the generation has not ended. */
  get mayRetry(): boolean {
    return this.endError === null && !this.hasBegun && !this.isRefusedAnother;
  }

  private get hasBegun(): boolean {
    return this.request?.hasBegun ?? false;
  }

  /** Whether a pause of this many milliseconds leaves enough time for another request. */
  hasTimeFor(pause: number): boolean {
    const left = this.limits.total - (performance.now() - this.startedAt);
    return !this.isRefusedAnother && left - pause >= this.limits.total * SHARE_FOR_ANSWER;
  }

  /** A request has failed, and another one will follow. */
  announceRetry(): void {
    this.listener.onRetry?.();
  }

  /** Call it before each request. @throws the failure of the previous request, if no other one may be made */
  async requireAnother(): Promise<void> {
    if (this.lastFailure !== null && this.mayRetry) {
      this.isRefusedAnother = (await this.listener.onRepeat?.()) === false;
      if (this.isRefusedAnother) {
        throw this.firstFailure ?? this.lastFailure;
      }
    }
    this.throwIfEnded();
  }

  throwIfEnded(): void {
    if (this.endError !== null) {
      throw this.endError;
    }
  }

  /** Starts one request and waits for its first token. */
  async startRequest(provider: LanguageModelProvider, request: CompletionRequest): Promise<ProviderRequest> {
    this.throwIfEnded();
    const called = toCalledModel(provider.name, request);
    this.span?.note(called);
    this.listener.onCall?.(called);
    this.request = new ProviderRequest(this.listener, this.limits, called).send(provider, {
      ...request,
      ...this.span?.headers,
    });
    try {
      await this.request.started;
    } catch (error) {
      if (this.endError === null) {
        called.hasFailed = true;
        this.lastFailure = error instanceof Error ? error : new Error(String(error));
        this.listener.onFailed?.();
      }
      throw error;
    }
    return this.request;
  }

  succeed(result: GenerationResult): void {
    this.dispose();
    this.settle.resolve(result);
  }

  /** Has no effect after the generation has ended. */
  fail(error: unknown): void {
    this.dispose();
    this.settle.reject(error);
  }

  /** Releases the timer and the signal. */
  private dispose(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.onAbort);
  }

  /** If the time ends at a fallback model, the caller gets the failure of the first model. */
  private endInTime(): void {
    const timeout = timeoutError('total', this.limits.total, this.request?.isSilent);
    this.end(this.hasBegun ? timeout : (this.firstFailure ?? timeout), timeout);
  }

  private end(error: Error, requestError = error): void {
    this.endError = error;
    this.fail(error);
    this.request?.fail(requestError);
  }
}

function toCalledModel(provider: string, { model, messages }: CompletionRequest): CalledModel {
  const images = messages.reduce((count, { parts }) => count + (parts?.filter(isImage).length ?? 0), 0);
  return newCalledModel({ provider, model: model ?? '', images });
}

function isImage({ type }: MessagePart): boolean {
  return type === 'image';
}

/** @throws ModelNotPricedError before a model is called whose cost the hold does not cover */
function requireCovered(candidate: ModelCandidate, bound: CostBound | undefined): void {
  if (bound !== undefined && !bound.covers({ provider: candidate.provider.name, model: candidate.model })) {
    throw failure(candidate, 'no_price');
  }
}

/** @throws ModelNotPricedError before a model is called without a limit of its reply, because it refuses every limit */
export function requireOutputLimit(candidate: ModelCandidate, adapted: AdaptedRequest): void {
  if (adapted.lacksOutputLimit) {
    throw failure(candidate, 'no_output_limit');
  }
}

function failure({ provider, model }: ModelCandidate, reason: UnpricedReason): ModelNotPricedError {
  const error = ModelNotPricedError.of(reason);
  error.failedModel = { provider: provider.name, model, host: provider.host };
  return error;
}

/**
 * Call it before the first request: a fallback model may be of another provider, or have no price.
 *
 * @throws FeatureNotSupportedError, ModelNotPricedError
 */
export function requireFeatures(candidate: ModelCandidate, request: GenerationRequest): void {
  const { provider, model } = candidate;
  requireCovered(candidate, request.bound);
  const missing = provider.missingFeature(request);
  if (missing !== null) {
    const error = FeatureNotSupportedError.of(missing);
    error.failedModel = { provider: provider.name, model, host: provider.host };
    throw error;
  }
}

/**
 * Waits until a model that refused an earlier request with a waiting time may be called. It waits once, and as long as
 * a retry would.
 *
 * @throws ProviderUnavailableError without a request, if the wait is too long
 */
export async function whileResting(
  { restraint, model }: ModelCandidate,
  generation: Generation,
  { retryJitter, longestRetryAfter }: ResilienceSettings,
): Promise<void> {
  const rest = restraint.restOf(model);
  if (rest === 0) {
    return;
  }
  // Waiting callers must not all return at once.
  const pause = rest * (1 + retryJitter * Math.random());
  if (rest > longestRetryAfter || !generation.hasTimeFor(pause)) {
    throw restraint.refusal(rest);
  }
  generation.announceRetry();
  await delay(pause, undefined, { ref: false });
  // The first caller after the wait may have been refused again.
  const longer = restraint.restOf(model);
  if (longer > 0) {
    throw restraint.refusal(longer);
  }
}
