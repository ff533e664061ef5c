import { Injectable } from '@nestjs/common';
import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
} from 'cockatiel';
import { ModelProviderError, ProviderTimeoutError, ProviderUnavailableError } from '../llm.errors';

/** How failures of a provider are met. Not configuration: tests replace it to be quick. Times in milliseconds. */
@Injectable()
export class ResilienceSettings {
  /** Pause before each further attempt; their number is the number of retries. */
  retryDelays: readonly number[] = [500, 2_000];
  /** Each pause varies by this share up and down, so that many callers do not return together. */
  retryJitter = 0.2;
  /** A provider that asks for a longer pause (Retry-After) is not asked again; the caller gets its answer at once. */
  longestRetryAfter = 10_000;
  /**
   * Attempts in a row that found the provider down, after which it is left alone. A request makes up to three, and who
   * sends a dozen in vain is still told why each of them failed; a busy service gets there within seconds.
   */
  breakerThreshold = 50;
  /** How long it is left alone before one request tries it again. */
  breakerPause = 5_000;

  /**
   * Milliseconds to wait before the next attempt; null: there is none. A user does not wait longer for a provider that
   * was silent for the whole time limit, or that is being left alone.
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
 * Leaves a provider alone for a while that is down. Only what speaks of that counts: no connection, no sign of life in
 * time, HTTP statuses of 500 and above. Any other answer, a refusal or a malformed one too, begins the count anew.
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

  /** @throws ProviderUnavailableError without a call of `attempt` while the provider is left alone. */
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

/** Whether a failure says that nobody was asked, because the provider is left alone. */
export function isLeftAlone(failure: ModelProviderError): boolean {
  return failure.cause instanceof BrokenCircuitError;
}

function toValue<Value>(value: Value): { value: Value } {
  return { value };
}

/** A failure that a living provider has answered with: cockatiel would pass over it and go on counting. */
function toAnswer(error: unknown): { failure: ModelProviderError } {
  if (error instanceof ModelProviderError && !error.isOutage) {
    return { failure: error };
  }
  throw error;
}

function isOutage(error: Error): boolean {
  return error instanceof ModelProviderError && error.isOutage;
}
