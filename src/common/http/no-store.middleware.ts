import type { NextFunction, Request, Response } from 'express';

/** Forbids caching of responses unless the route allows it. They are for one caller, and contain tokens and secrets. */
export function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
