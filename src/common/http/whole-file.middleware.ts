import type { NextFunction, Request, Response } from 'express';

/** Express would answer these conditions and ranges with 206, 412 or 416. Servers may ignore them (RFC 9110 §14.2). */
const PARTIAL_HEADERS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/** Runs before bundled files. They are small and always sent whole, so the only possible failure is 404. */
export function wholeFile(request: Request, response: Response, next: NextFunction): void {
  for (const name of PARTIAL_HEADERS) {
    delete request.headers[name];
  }
  response.setHeader('Accept-Ranges', 'none');
  next();
}
