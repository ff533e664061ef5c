import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { pathWithoutSecrets } from '../security/without-secrets';
import { logs } from './log-level';
import { type ServiceLogger } from './service-logger';

/**
 * Logs each request as one line with id, method, path, status and time; never its body, headers or query. Without the
 * level `info`, it logs only faults of the service.
 *
 * @param unlogged paths that are left out, with all paths below them, in lower case
 */
export function requestLog(logger: ServiceLogger, unlogged: readonly string[]): RequestHandler {
  const left = unlogged.map((path) => ({ path, below: `${path}/` }));
  return (request: Request, response: Response, next: NextFunction): void => {
    const { method } = request;
    const context = request.span?.context;
    const path = pathWithoutSecrets(request.path);
    const lower = path.toLowerCase();
    if (!left.some((each) => lower === each.path || lower.startsWith(each.below))) {
      response.once('close', () => {
        const isFailure = response.statusCode >= 500;
        if (isFailure || logs('info')) {
          logger[isFailure ? 'error' : 'log']({
            // The connection closes outside of the request's context.
            ...(context && { trace_id: context.traceId, span_id: context.spanId }),
            request_id: request.id,
            method,
            path,
            status: response.statusCode,
            user_id: request.principal?.userId,
            ...(request.principal?.apiKeyId && { api_key_id: request.principal.apiKeyId }),
            duration_ms: Math.round(performance.now() - (request.startedAt ?? 0)),
            // If a reply was stopped early, its response may still be complete.
            ...(!response.writableFinished && { is_cut: true }),
            msg: `${method} ${path} ${response.statusCode}`,
          });
        }
      });
    }
    next();
  };
}
