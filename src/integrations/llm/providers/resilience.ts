import { Injectable } from '@nestjs/common';
import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
} from 'cockatiel';
import { counter } from '../../../common/metrics/metrics';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { ModelProviderError, ProviderTimeoutError, ProviderUnavailableError } from '../port/llm.errors';

/** The cause of failures without a request, because the provider has requested a pause. */
class PauseRequestedError extends Error {
  override readonly name = 'AskedToWaitError';
}

const TOO_MANY_REQUESTS = 429;

/**
 * Prevents the service from making a provider's trouble worse. Retries have a budget, a share of the requests, so that
 * a provider that refuses all requests does not get three times as many. A model that refused with 429 and
 * `Retry-After` is not called before that time.
 */
export class ProviderRestraint {
  private readonly withheld = counter('model_provider_withheld_total', 'What a provider was spared, by kind', [
    'provider',
    'kind',
  ]);
  /** Retries that are left, minus the reserve: 0 at most. */
  private balance = 0;
  private balancedAt = performance.now();
  /** When each model may be called again, in milliseconds of the monotonic clock. */
  private readonly rests = new Map<string, number>();

  constructor(
    private readonly provider: string,
    private readonly settings: ResilienceSettings,
  ) {}

  /** Counts a request, which earns a share of a retry. */
  begin(): void {
    this.earn(this.settings.retryShare);
  }

  /** Uses up a retry. Returns whether one was left. */
  takeRetry(): boolean {
    const now = performance.now();
    this.earn(((now - this.balancedAt) / SECOND_MILLISECONDS) * this.settings.retriesPerSecond);
    this.balancedAt = now;
    if (this.balance - 1 < -this.settings.retryReserve) {
      this.withheld.inc({ provider: this.provider, kind: 'retry' });
      return false;
    }
    this.balance -= 1;
    return true;
  }

  /** Records that the model requested a pause, if the failure says so. */
  note(model: string, error: unknown): void {
    if (error instanceof ModelProviderError && error.providerStatus === TOO_MANY_REQUESTS) {
      const wanted = (error.options.retryAfterSeconds ?? 0) * SECOND_MILLISECONDS;
      const rest = Math.min(wanted, this.settings.longestRest);
      if (rest > 0) {
        this.rests.set(model, Math.max(performance.now() + rest, this.rests.get(model) ?? 0));
      }
    }
  }

  /** Milliseconds until the model may be called; 0: now. */
  restOf(model: string): number {
    const left = (this.rests.get(model) ?? 0) - performance.now();
    if (left <= 0) {
      this.rests.delete(model);
    }
    return Math.max(0, left);
  }

  /** The failure of a request that is not sent, because the model requested a pause of this many milliseconds. */
  refusal(rest: number): ProviderUnavailableError {
    this.withheld.inc({ provider: this.provider, kind: 'request' });
    const cause = new PauseRequestedError('The provider has asked to wait, and was not asked again.');
    return new ProviderUnavailableError(
      {},
      { cause, retryable: true, retryAfterSeconds: Math.ceil(rest / SECOND_MILLISECONDS) },
    );
  }

  private earn(retries: number): void {
    this.balance = Math.min(0, this.balance + retries);
  }
}

/**
 * Behaviour after a provider's failure, with times in milliseconds. These are no settings, but tests replace them to be
 * quick.
 */
@Injectable()
export class ResilienceSettings {
  /** The pause before each retry. There are as many retries as pauses. */
  retryDelays: readonly number[] = [500, 2_000];
  /** Each pause varies by up to this share, so that many callers do not return at the same time. */
  retryJitter = 0.2;
  /**
   * If a provider requests a longer pause (Retry-After), there is no retry and the caller gets the failure immediately.
   */
  longestRetryAfter = 10_000;
  /**
   * After this many failed attempts in a row the circuit opens. A request makes up to three attempts, so a person who
   * tries a dozen times still sees each cause; a busy service reaches the number within seconds.
   */
  breakerThreshold = 50;
  /** How long the circuit stays open before one request tries the provider again. */
  breakerPause = 5_000;
  /** Retries that a provider earns with each request, so that refusals do not multiply the requests to it. */
  retryShare = 0.1;
  /** Retries beyond that share, for times with few requests: at most this many at once, and this many per second. */
  retryReserve = 10;
  retriesPerSecond = 0.5;
  /** A model that answers 429 with Retry-After is not called for that time, or for this time if it is shorter. */
  longestRest = 60_000;

  /**
   * Milliseconds to wait before the next attempt; null: there is none. A user does not wait longer for a provider that
   * was silent for the whole time limit, or that must not be called.
   */
  pauseAfter(error: Error, pauses: number): number | null {
    const delay = this.retryDelays[pauses];
    if (delay === undefined || !(error instanceof ModelProviderError) || !error.retryable) {
      return null;
    }
    const isFinal = error instanceof ProviderTimeoutError || isLeftAlone(error);
    const requested = (error.options.retryAfterSeconds ?? 0) * 1_000;
    const jittered = delay * (1 + this.retryJitter * (2 * Math.random() - 1));
    return isFinal || requested > this.longestRetryAfter ? null : Math.max(jittered, requested);
  }
}

export type CircuitName = 'closed' | 'open' | 'half-open';

/**
 * The circuit breaker of one provider. It counts only signs of an outage: no connection, no response in time, HTTP
 * statuses of 500 and above. Any other response, including a refusal or a malformed one, resets the count.
 */
export class ProviderBreaker {
  private readonly policy: CircuitBreakerPolicy;

  constructor(private readonly settings: ResilienceSettings) {
    this.policy = circuitBreaker(handleWhen(isOutage), {
      breaker: new ConsecutiveBreaker(settings.breakerThreshold),
      halfOpenAfter: settings.breakerPause,
    });
  }

  get circuit(): CircuitName {
    if (this.policy.state === CircuitState.HalfOpen) {
      return 'half-open';
    }
    return this.policy.state === CircuitState.Closed ? 'closed' : 'open';
  }

  /** @throws ProviderUnavailableError without calling `attempt` while the circuit is open */
  async execute<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      const answer = await this.policy.execute(() => attempt().then(toValue, toAnswer));
      if ('failure' in answer) {
        throw answer.failure;
      }
      return answer.value;
    } catch (error) {
      if (error instanceof BrokenCircuitError) {
        const retryAfterSeconds = Math.ceil(this.settings.breakerPause / 1_000);
        throw new ProviderUnavailableError({}, { cause: error, retryable: true, retryAfterSeconds });
      }
      throw error;
    }
  }
}

/** Whether the provider was not called at all: its circuit is open, or it has requested a pause. */
export function isLeftAlone(failure: ModelProviderError): boolean {
  return failure.cause instanceof BrokenCircuitError || failure.cause instanceof PauseRequestedError;
}

function toValue<Value>(value: Value): { value: Value } {
  return { value };
}

/** Converts a failure without an outage into a value, because only a value resets cockatiel's count. */
function toAnswer(error: unknown): { failure: ModelProviderError } {
  if (error instanceof ModelProviderError && !error.isOutage) {
    return { failure: error };
  }
  throw error;
}

function isOutage(error: Error): boolean {
  return error instanceof ModelProviderError && error.isOutage;
}
