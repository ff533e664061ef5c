import type { Response } from 'express';

/** Headers of every stream: no proxy may cache, compress or buffer it. */
const STREAM_HEADERS = {
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Headers for pages. A stream does not need them, and would keep them in memory while the reply runs. */
const PAGE_HEADERS = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
];

/** Writes the head of a stream. */
export function writeHead(response: Response, headers: Record<string, string>): void {
  PAGE_HEADERS.forEach((name) => response.removeHeader(name));
  response.writeHead(200, { ...STREAM_HEADERS, ...headers });
}
