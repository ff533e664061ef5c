import type { Application, NextFunction, Request, Response } from 'express';
import { isTakenForParameter } from './allowed-methods';
import { NO_ROUTE } from './malformed-request.middleware';

const paths = new WeakMap<Request, string>();

/**
 * Leads a request with a wrong method to the catch-all where a route with a parameter would take the last part of the
 * path for its value: `GET /chat/message` is no conversation. Goes before the routes.
 */
export function divertWrongMethod(request: Request, _response: Response, next: NextFunction): void {
  const { method, path } = request;
  if (isTakenForParameter(request.app as Application, method, path)) {
    paths.set(request, path);
    request.url = NO_ROUTE;
  }
  next();
}

/** The path that was asked for, of a request that may have been led here. */
export function askedPath(request: Request): string {
  return paths.get(request) ?? request.path;
}
