import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Access, ACCESS_METADATA } from './access.decorator';
import { ForbiddenError, UnauthorizedError } from './security.errors';

/**
 * Third guard of the pipeline: 401 without a valid token, 403 without the right to call the route.
 * This folder finds out who calls and what the caller may do. Start with the decorators in `access.decorator.ts`.
 * `IdentityGuard` reads the token, this guard refuses, and handlers get the `RequestContext`. `ServiceSecret` derives
 * the keys that sign and encrypt.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access =
      this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, [
        context.getHandler(),
        context.getClass(),
      ]) ?? 'authenticated';
    if (access === 'public') {
      return true;
    }
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.principal) {
      throw request.identityFailure ?? new UnauthorizedError();
    }
    if (access === 'admin' && request.principal.userType !== 'admin') {
      throw new ForbiddenError();
    }
    return true;
  }
}
