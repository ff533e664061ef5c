import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { RefusalInterceptor } from './request-counter';

/** Finds the session that a request names. It must be cheap, because it runs before the request is counted. */
export interface SessionFinder {
  /**
   * The name of the session, from a token that this service issued; null if the request has none; false if the route
   * limits the request itself.
   */
  sessionOf(request: Request): string | null | false | Promise<string | null | false>;
}

export const SESSION_FINDER = Reflector.createDecorator<Type<SessionFinder>>();

/**
 * For the route that renews sessions, which each page calls when it loads. A request with a valid token counts only
 * against its session, so that people behind one address do not use up each other's budget. Every other request counts
 * against the address. The body is read first, because it may contain the token.
 */
export const CountedBySession = (finder: Type<SessionFinder>): MethodDecorator =>
  applyDecorators(SESSION_FINDER(finder), UseInterceptors(RefusalInterceptor));
