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
 * Second of the pipeline's guards: counts the request against the budgets of its caller and refuses it when one is
 * used up. The headers are set before the handler runs, so every counted answer has them, errors and streams included.
 * Free are the routes with `@NotRateLimited()`, and what is served before the guards: documentation and pictures.
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

/** Of several budgets the headers show the one that refuses the caller first; a refusal is always shown. */
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
