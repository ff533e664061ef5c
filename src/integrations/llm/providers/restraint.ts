import { counter } from '../../../common/metrics/metrics';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { ModelProviderError, ProviderUnavailableError } from '../port/llm.errors';
import { AskedToWaitError, type ResilienceSettings } from './resilience';

const TOO_MANY_REQUESTS = 429;

/**
 * Keeps the service from making a provider's trouble worse. Retries have a budget, a share of the requests, so that a provider
 * that refuses everybody is not asked three times as often as before. A model that was refused with 429 and `Retry-After` is
 * not asked before that time.
 */
export class ProviderRestraint {
  private readonly withheld = counter('model_provider_withheld_total', 'What a provider was spared, by kind', [
    'provider',
    'kind',
  ]);
  /** Retries that are left, less the reserve: 0 at most. */
  private balance = 0;
  private balancedAt = performance.now();
  /** By model, when it may be asked again, in milliseconds of the monotonic clock. */
  private readonly rests = new Map<string, number>();

  constructor(
    private readonly provider: string,
    private readonly settings: ResilienceSettings,
  ) {}

  /** A request begins, and with it a share of a retry. */
  begin(): void {
    this.earn(this.settings.retryShare);
  }

  /** Whether there is a retry left; it is then used up. */
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

  /** Learns from a failure that the model wants to be left alone. */
  note(model: string, error: unknown): void {
    if (error instanceof ModelProviderError && error.providerStatus === TOO_MANY_REQUESTS) {
      const wanted = (error.options.retryAfterSeconds ?? 0) * SECOND_MILLISECONDS;
      const rest = Math.min(wanted, this.settings.longestRest);
      if (rest > 0) {
        this.rests.set(model, Math.max(performance.now() + rest, this.rests.get(model) ?? 0));
      }
    }
  }

  /** Milliseconds until the model may be asked; 0: now. */
  restOf(model: string): number {
    const left = (this.rests.get(model) ?? 0) - performance.now();
    if (left <= 0) {
      this.rests.delete(model);
    }
    return Math.max(0, left);
  }

  /** The failure of a request that is not sent, because the model is to be left alone for so many milliseconds. */
  refusal(rest: number): ProviderUnavailableError {
    this.withheld.inc({ provider: this.provider, kind: 'request' });
    const cause = new AskedToWaitError('The provider has asked to wait, and was not asked again.');
    return new ProviderUnavailableError(
      {},
      { cause, retryable: true, retryAfterSeconds: Math.ceil(rest / SECOND_MILLISECONDS) },
    );
  }

  private earn(retries: number): void {
    this.balance = Math.min(0, this.balance + retries);
  }
}
