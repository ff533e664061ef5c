import type { Application, NextFunction, Request, Response } from 'express';
import type { FieldFault } from '../../errors/validation.errors';
import { isTakenForParameter } from './allowed-methods';

/** A path that no route has, so that the request ends at the catch-all, behind the guards. */
const NO_ROUTE = '/no-such-route';

const faults = new WeakMap<Request, FieldFault>();
const paths = new WeakMap<Request, string>();

/**
 * Leads a request that no route may answer to the catch-all, where the rate limit counts it and `InvalidParameterError`
 * answers it. Left alone, Node or the router would answer before any guard runs. Goes before the routes.
 */
export function divertMalformedRequest(request: Request, _response: Response, next: NextFunction): void {
  const fault = findFault(request);
  if (fault) {
    faults.set(request, fault);
  }
  // `OPTIONS *` is no fault, and no route matches it, not even the catch-all.
  if (fault || !request.path.startsWith('/')) {
    request.url = NO_ROUTE;
  }
  next();
}

/** What is wrong with a request that was led here. */
export function malformedPart(request: Request): FieldFault | undefined {
  return faults.get(request);
}

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
