import { Logger } from '@nestjs/common';
import { counter } from '../../../common/metrics/metrics';
import { ModelProviderError } from '../port/llm.errors';
import type { ModelCandidate } from '../providers/model-registry';
import { isLeftAlone } from '../providers/resilience';

/** Reports failed requests to the metrics, the provider's health, and the log. */
export class FailedRequests {
  private readonly logger = new Logger(FailedRequests.name);
  private readonly failed = counter('model_provider_failures_total', 'Attempts that a model provider failed', [
    'provider',
    'code',
  ]);

  report(candidate: ModelCandidate, error: unknown): void {
    if (error instanceof ModelProviderError && !isLeftAlone(error)) {
      const { provider, model } = candidate;
      this.count(candidate, error);
      // At debug level, because a retry may still succeed and the caller logs the final failure.
      const facts = { provider: provider.name, model, code: error.code, cause: describeCause(error) };
      this.logger.debug(facts, 'An attempt at a model failed.');
    }
  }

  count({ provider, model, health }: ModelCandidate, error: unknown): void {
    if (error instanceof ModelProviderError) {
      error.failedModel = { provider: provider.name, model, host: provider.host };
      health.failed(error, model);
      this.failed.inc({ provider: provider.name, code: error.code });
    }
  }
}

/** The provider's message, for the log. */
export function describeCause(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no further detail';
}
