import type { NextFunction, Request, Response } from 'express';

/**
 * Keeps answers out of caches, unless the route says otherwise: they are for one caller, and contain tokens and
 * secrets.
 */
export function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
