import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Access, ACCESS_METADATA, SCOPE_METADATA } from './access.decorator';
import type { RequiredScope } from './key-scope.decorator';
import { assertScope } from './principal';
import { ForbiddenError, UnauthorizedError } from './security.errors';

/**
 * Third guard of the pipeline: 401 without a valid token or API key, 403 without the right to call the route. This
 * folder identifies callers and checks their rights. Start with the decorators in `access.decorator.ts` and
 * `key-scope.decorator.ts`. `IdentityGuard` reads the token, this guard refuses, and handlers get the `RequestContext`.
 * `ServiceSecret` derives the keys that sign and encrypt.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, places) ?? 'authenticated';
    const { principal, identityFailure } = context.switchToHttp().getRequest<Request>();
    const scope = this.reflector.getAllAndOverride<RequiredScope | undefined>(SCOPE_METADATA, places);
    const isForEverybody = access === 'public' && scope === undefined;
    if (principal && !isForEverybody) {
      assertScope(principal, scope ?? null);
    }
    if (access === 'public') {
      return true;
    }
    if (!principal) {
      throw identityFailure ?? new UnauthorizedError();
    }
    if (access === 'admin' && principal.userType !== 'admin') {
      throw new ForbiddenError();
    }
    return true;
  }
}
