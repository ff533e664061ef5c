import type { NextFunction, Request, Response } from 'express';

/** Conditions and ranges that Express would answer with 206, 412 or 416; a server need not know them (RFC 9110 §14.2). */
const PARTIAL_HEADERS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/** Goes before bundled files: they are small and always sent whole, so that no failure remains but 404. */
export function wholeFile(request: Request, response: Response, next: NextFunction): void {
  for (const name of PARTIAL_HEADERS) {
    delete request.headers[name];
  }
  response.setHeader('Accept-Ranges', 'none');
  next();
}
