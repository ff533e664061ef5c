import type { NextFunction, Request, Response } from 'express';

/**
 * The page of a feature has no origin, so that its scripts reach neither the console nor its session. It loads and calls
 * only this service.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-forms allow-scripts',
].join('; ');

/** For the page of a feature, and for the scripts and styles below its path. */
export function frameOfFeature(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('X-Frame-Options', 'SAMEORIGIN');
  // The frame that requests the scripts has no origin.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  next();
}
