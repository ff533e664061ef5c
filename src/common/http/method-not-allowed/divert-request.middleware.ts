import type { Application, NextFunction, Request, Response } from 'express';
import type { FieldFault } from '../../errors/validation.errors';
import { isTakenForParameter } from './allowed-methods';

/** No route has this path, so the catch-all gets the request, after the guards. */
const NO_ROUTE = '/no-such-route';

const faults = new WeakMap<Request, FieldFault>();
const paths = new WeakMap<Request, string>();

/**
 * Sends a malformed request to the catch-all, where the rate limit counts it and it fails with an
 * `InvalidParameterError`. Otherwise Node or the router would answer before any guard runs. Must come before the
 * routes.
 */
export function divertMalformedRequest(request: Request, _response: Response, next: NextFunction): void {
  const fault = findFault(request);
  if (fault) {
    faults.set(request, fault);
  }
  // `OPTIONS *` is valid, but no route matches it, not even the catch-all.
  if (fault || !request.path.startsWith('/')) {
    request.url = NO_ROUTE;
  }
  next();
}

/** The fault of a request that `divertMalformedRequest` sent to the catch-all. */
export function malformedPart(request: Request): FieldFault | undefined {
  return faults.get(request);
}

/**
 * Sends a request with a wrong method to the catch-all if a route with a parameter would read the last segment of the
 * path as its value: `GET /chat/message` is not a conversation. Must come before the routes.
 */
export function divertWrongMethod(request: Request, _response: Response, next: NextFunction): void {
  const { method, path } = request;
  if (isTakenForParameter(request.app as Application, method, path)) {
    paths.set(request, path);
    request.url = NO_ROUTE;
  }
  next();
}

/** The original path of a request, even if a middleware of this file has changed it. */
export function originalPath(request: Request): string {
  return paths.get(request) ?? request.path;
}

function findFault({ path, headers, httpVersion }: Request): FieldFault | undefined {
  if (path.includes('%') && !isDecodable(path)) {
    return { field: 'path', reason: 'invalid_format' };
  }
  if (httpVersion === '1.0') {
    return undefined;
  }
  if (headers.host === undefined) {
    return { field: 'host', reason: 'required' };
  }
  const isMet = headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  return isMet ? undefined : { field: 'expect', reason: 'not_allowed' };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
