import { ExecutionContext, Injectable } from '@nestjs/common';
import { InjectThrottlerOptions, InjectThrottlerStorage, ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Response } from 'express';
import { exposeHeaders } from '../http/exposed-headers';
import { WindowRecord, WindowStorage } from './budgets';
import { RateLimitExceededError } from './rate-limit.errors';
import { RateLimitMetrics } from './rate-limit-metrics';
import type { BudgetOptions } from './rate-limit-options';

const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

exposeHeaders([LIMIT, REMAINING, RESET], 20);

/** Counts a request against the budgets of its caller, and shows them in the headers of its answer. */
@Injectable()
export class RequestCounter {
  private readonly budgets: BudgetOptions[];

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    private readonly metrics: RateLimitMetrics,
  ) {
    this.budgets = (Array.isArray(options) ? options : options.throttlers) as BudgetOptions[];
  }

  /** @throws RateLimitExceededError when a budget is used up. */
  async count(context: ExecutionContext): Promise<void> {
    for (const budget of this.budgets) {
      if (!budget.skipIf(context)) {
        await this.countAgainst(budget, context);
      }
    }
  }

  /**
   * Counts a request anew, as what it has turned out to be.
   *
   * @throws RateLimitExceededError when a budget is used up.
   */
  async recount(context: ExecutionContext): Promise<void> {
    const response = context.switchToHttp().getResponse<Response>();
    [LIMIT, REMAINING, RESET].forEach((name) => response.removeHeader(name));
    await this.count(context);
  }

  /** All routes share one budget, because the route is not in the key. */
  private async countAgainst(budget: BudgetOptions, context: ExecutionContext): Promise<void> {
    const { name, ttl } = budget;
    const http = context.switchToHttp();
    const limit = budget.limit(context);
    const key = `${name}:${budget.getTracker(http.getRequest(), context)}`;
    const record = await this.windows.increment(key, ttl, limit, ttl, name);
    showTightest(http.getResponse<Response>(), limit, record);
    if (record.isBlocked) {
      this.metrics.refusedBy(name);
      throw new RateLimitExceededError(limit, record.timeToBlockExpire);
    }
  }
}

/**
 * When there are several budgets, the headers show the one that will refuse the caller first. They always show a
 * refusal.
 */
function showTightest(response: Response, limit: number, record: WindowRecord): void {
  const remaining = Math.max(0, limit - record.totalHits);
  const shown = response.getHeader(REMAINING);
  if (shown !== undefined && Number(shown) < remaining) {
    return;
  }
  response.setHeader(LIMIT, String(limit));
  response.setHeader(REMAINING, String(remaining));
  response.setHeader(RESET, String(Math.ceil(record.windowEndsAt / 1000)));
}
