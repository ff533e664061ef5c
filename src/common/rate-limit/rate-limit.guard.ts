import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { Response } from 'express';
import { exposeHeaders } from '../http/exposed-headers';
import { WindowRecord, WindowStorage } from './budgets';
import { NOT_RATE_LIMITED } from './not-rate-limited.decorator';
import { RateLimitExceededError } from './rate-limit.errors';
import { RateLimitMetrics } from './rate-limit-metrics';
import type { BudgetOptions } from './rate-limit-options';

const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

exposeHeaders([LIMIT, REMAINING, RESET], 20);

/**
 * Second guard of the pipeline: counts the request against the budgets of its caller, and refuses it when a budget is
 * used up. It sets the headers before the handler runs, so every counted answer has them, also errors and streams.
 * Routes with `@NotRateLimited()` are not counted, and neither are documentation and pictures, which are served before
 * the guards.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    reflector: Reflector,
    private readonly metrics: RateLimitMetrics,
  ) {
    super(options, windows, reflector);
  }

  /**
   * Counts as the library's own method does, but looks for no settings of single routes, because no route has any: that
   * took longer than to count.
   *
   * @throws RateLimitExceededError when a budget is used up.
   */
  override async canActivate(context: ExecutionContext): Promise<true> {
    const places = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(NOT_RATE_LIMITED, places)) {
      return true;
    }
    for (const budget of this.throttlers as BudgetOptions[]) {
      if (!budget.skipIf(context)) {
        await this.count(budget, context);
      }
    }
    return true;
  }

  /** All routes share one budget, because the route is not in the key. */
  private async count(budget: BudgetOptions, context: ExecutionContext): Promise<void> {
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
