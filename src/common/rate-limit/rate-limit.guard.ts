import { ExecutionContext, Injectable, Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerModuleOptions,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request } from 'express';
import { BodyReceiver } from '../http/body-receiver';
import { SESSION_FINDER, SessionFinder } from './counted-by-session.decorator';
import { NOT_RATE_LIMITED } from './not-rate-limited.decorator';
import { RequestCounter } from './request-counter';

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
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly counter: RequestCounter,
    private readonly bodies: BodyReceiver,
    private readonly modules: ModuleRef,
  ) {
    super(options, storage, reflector);
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
    const finder = this.reflector.get<Type<SessionFinder> | undefined>(SESSION_FINDER.KEY, context.getHandler());
    if (finder) {
      await this.findSession(context, this.modules.get(finder, { strict: false }));
    }
    await this.counter.count(context);
    return true;
  }

  /** A body that cannot be read has no valid token, so it counts against the address before it is refused. */
  private async findSession(context: ExecutionContext, finder: SessionFinder): Promise<void> {
    const request = context.switchToHttp().getRequest<Request>();
    request.countedSession = null;
    try {
      await this.bodies.receive(context);
    } catch (error) {
      await this.counter.count(context);
      throw error;
    }
    // The route is not for API keys: the next guard refuses them.
    request.countedSession = request.principal?.scopes ? null : finder.sessionOf(request);
  }
}
