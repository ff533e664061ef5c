import { CanActivate, ExecutionContext, Injectable, Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { BodyReceiver } from '../http/body/request-body';
import { SESSION_FINDER, SessionFinder } from './counted-by-session.decorator';
import { RequestCounter } from './request-counter';

/**
 * Second guard of the pipeline: `RequestCounter` counts the request against the budgets of its caller, and refuses it
 * if a budget is used up. Documentation and pictures are not counted, because they are served before the guards.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly counter: RequestCounter,
    private readonly bodies: BodyReceiver,
    private readonly modules: ModuleRef,
  ) {}

  /** @throws RateLimitExceededError if a budget is used up */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const finder = this.reflector.get<Type<SessionFinder> | undefined>(SESSION_FINDER.KEY, context.getHandler());
    if (finder) {
      await this.findSession(context, this.modules.get(finder, { strict: false }));
    }
    return this.counter.canActivate(context);
  }

  /** A body that cannot be read has no valid token, so it counts against the address before it is refused. */
  private async findSession(context: ExecutionContext, finder: SessionFinder): Promise<void> {
    const request = context.switchToHttp().getRequest<Request>();
    request.countedSession = null;
    try {
      await this.bodies.receive(context);
    } catch (error) {
      await this.counter.canActivate(context);
      throw error;
    }
    // API keys may not call the route. The next guard refuses them.
    request.countedSession = request.principal?.scopes ? null : await finder.sessionOf(request);
  }
}
