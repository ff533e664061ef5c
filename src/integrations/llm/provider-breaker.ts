import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
} from 'cockatiel';
import { ModelProviderError, ProviderUnavailableError } from './llm.errors';
import type { ResilienceSettings } from './resilience-settings';

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
