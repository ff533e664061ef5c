import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { catchError, Observable } from 'rxjs';
import { toApiError } from '../errors/to-api-error';
import { ApiPaths } from '../http/api-paths';
import { counter } from '../metrics/metrics';
import { Budget, WindowRecord, WindowStorage } from './budgets';
import { RateLimitExceededError } from './rate-limit.errors';

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

  onRefusal(budget: Budget): void {
    this.refused.inc({ budget });
  }
}

export const LIMIT = 'X-RateLimit-Limit';
export const REMAINING = 'X-RateLimit-Remaining';
export const RESET = 'X-RateLimit-Reset';

/**
 * Counts a request against the budgets of its caller: the library's guard, with the service's own windows, headers and
 * refusals. It sets the headers before the handler runs, so every counted response has them, including errors and
 * streams. Routes with `@NotRateLimited()` are not counted.
 */
@Injectable()
export class RequestCounter extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    reflector: Reflector,
    private readonly metrics: RateLimitMetrics,
    private readonly paths: ApiPaths,
  ) {
    super(options, windows, reflector);
  }

  /**
   * Counts a request again, after it was found to belong to another budget.
   *
   * @throws RateLimitExceededError if a budget is used up
   */
  async recount(context: ExecutionContext): Promise<void> {
    const response = context.switchToHttp().getResponse<Response>();
    [LIMIT, REMAINING, RESET].forEach((name) => response.removeHeader(name));
    await this.canActivate(context);
  }

  /**
   * Counts against one budget. All routes share it, because the key does not contain the route.
   *
   * @throws RateLimitExceededError
   */
  protected override async handleRequest({
    context,
    limit,
    ttl,
    throttler,
    getTracker,
  }: ThrottlerRequest): Promise<boolean> {
    const budget = throttler.name as Budget;
    const http = context.switchToHttp();
    const key = `${budget}:${await getTracker(http.getRequest(), context)}`;
    const record = await this.windows.increment(key, ttl, limit, ttl, budget);
    const { limitHeaders } = this.paths.headersOf(http.getRequest<Request>().originalUrl);
    showTightest(http.getResponse<Response>(), limit, record, limitHeaders);
    if (record.isBlocked) {
      this.metrics.onRefusal(budget);
      throw new RateLimitExceededError(limit, record.timeToBlockExpire);
    }
    return true;
  }
}

/**
 * If there are several budgets, the headers show the one that will refuse the caller first. A refusing budget is always
 * shown.
 */
function showTightest(response: Response, limit: number, record: WindowRecord, others: string | undefined): void {
  const remaining = Math.max(0, limit - record.totalHits);
  const shown = response.getHeader(REMAINING);
  if (shown !== undefined && Number(shown) < remaining) {
    return;
  }
  response.setHeader(LIMIT, String(limit));
  response.setHeader(REMAINING, String(remaining));
  response.setHeader(RESET, String(Math.ceil(record.windowEndsAt / 1000)));
  if (others !== undefined) {
    response.setHeader(`${others}-limit`, String(limit));
    response.setHeader(`${others}-remaining`, String(remaining));
    response.setHeader(`${others}-reset`, new Date(record.windowEndsAt).toISOString());
  }
}

/** Counts a request against the address that was counted against a session but then refused. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  constructor(private readonly counter: RequestCounter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        const request = context.switchToHttp().getRequest<Request>();
        if (typeof request.countedSession === 'string' && toApiError(error).status < 500) {
          request.countedSession = null;
          await this.counter.recount(context);
        }
        throw error;
      }),
    );
  }
}
