import type { NextFunction, Request, Response } from 'express';
import { Histogram, register } from 'prom-client';

const NAME = 'http_request_duration_seconds';

/** One histogram for the process, because tests start several applications in one process. */
const duration =
  (register.getSingleMetric(NAME) as Histogram<'method' | 'route' | 'status'> | undefined) ??
  new Histogram({
    name: NAME,
    help: 'Time from the arrival of a request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 300],
  });

let answered = 0;

/** Requests that this process has answered. */
export function answeredRequests(): number {
  return answered;
}

/** Measures each request under the pattern of its route. Ids in the label would create too many series. */
export function httpMetrics(request: Request, response: Response, next: NextFunction): void {
  response.once('close', () => {
    answered++;
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    const seconds = (performance.now() - (request.startedAt ?? performance.now())) / 1_000;
    duration.observe({ method: request.method, route, status: response.statusCode }, seconds);
  });
  next();
}
