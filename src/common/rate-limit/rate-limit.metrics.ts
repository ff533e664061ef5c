import { Injectable } from '@nestjs/common';
import { Counter, register } from 'prom-client';
import { Budget } from './budgets';

function counter<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
  // The registry belongs to the process, in which tests start several applications.
  const existing = register.getSingleMetric(name) as Counter<Label> | undefined;
  return existing ?? new Counter({ name, help, labelNames });
}

/** What operators see of the rate limit in /metrics. */
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
