import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { RefusalInterceptor } from './request-counter';

/** Finds the session that a request names. It must be cheap: it runs before the request is counted. */
export interface SessionFinder {
  /** The name of the session, from a token that this service made; null when the request has none. */
  sessionOf(request: Request): string | null;
}

export const SESSION_FINDER = Reflector.createDecorator<Type<SessionFinder>>();

/**
 * For the route that renews sessions, which each page calls when it is loaded. With a valid token a request counts against
 * its session alone, so that people behind one address do not use up each other's budget. Every other request counts
 * against the address. The body is read before, because the token may be there.
 */
export const CountedBySession = (finder: Type<SessionFinder>): MethodDecorator =>
  applyDecorators(SESSION_FINDER(finder), UseInterceptors(RefusalInterceptor));
