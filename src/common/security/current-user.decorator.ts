import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Principal } from './principal';
import { UnauthorizedError } from './security.errors';

/** The signed-in caller. For routes that need a token; elsewhere use `@CallerContext()`, whose principal may be absent. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (!principal) {
    throw new UnauthorizedError();
  }
  return principal;
});
