import { Injectable } from '@nestjs/common';
import { counter } from '../metrics/metrics';
import { Budget } from './budgets';

/** The figures of the rate limit in /metrics. */
@Injectable()
export class RateLimitMetrics {
  private readonly local = counter(
    'rate_limit_local_fallback_total',
    'Requests counted in this instance alone because Redis is configured and away',
  );
  private readonly refused = counter('rate_limit_refused_total', 'Requests refused with 429 RATE_LIMIT_EXCEEDED', [
    'budget',
  ]);

  countedLocally(): void {
    this.local.inc();
  }

  refusedBy(budget: Budget): void {
    this.refused.inc({ budget });
  }
}
