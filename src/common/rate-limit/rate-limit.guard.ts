import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerModuleOptions,
  ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { exposeHeaders } from '../http/exposed-headers';
import { Budget, WindowRecord, WindowStorage } from './budgets';
import { RateLimitExceededError } from './rate-limit.errors';
import { RateLimitMetrics } from './rate-limit-metrics';

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

  /** @throws RateLimitExceededError when the budget is used up. */
  protected override async handleRequest(budgetRequest: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = budgetRequest;
    const http = context.switchToHttp();
    const budget = throttler.name as Budget;
    const caller = await getTracker(http.getRequest<Request>(), context);
    const key = generateKey(context, caller, budget);
    const record = await this.windows.increment(key, ttl, limit, blockDuration, budget);
    showTightest(http.getResponse<Response>(), limit, record);
    if (record.isBlocked) {
      this.metrics.refusedBy(budget);
      throw new RateLimitExceededError(limit, record.timeToBlockExpire);
    }
    return true;
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
