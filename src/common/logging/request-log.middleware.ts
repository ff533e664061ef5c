import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { pathWithoutSecrets } from '../security/without-secrets';
import { type LoggingConfig } from './logging.config';
import { type ServiceLogger } from './service-logger';

/** At these levels all requests are logged; at other levels only faults of the service. */
const LOGS_ALL = ['info', 'debug', 'trace'];

/**
 * Logs each request as one line with id, method, path, status and time; never its body, headers or query.
 *
 * @param unlogged paths that are left out, with all paths below them, in lower case
 */
export function requestLog(
  logger: ServiceLogger,
  { LOG_LEVEL }: LoggingConfig,
  unlogged: readonly string[],
): RequestHandler {
  const logsAll = LOGS_ALL.includes(LOG_LEVEL);
  const left = unlogged.map((path) => ({ path, below: `${path}/` }));
  return (request: Request, response: Response, next: NextFunction): void => {
    const { method } = request;
    const path = pathWithoutSecrets(request.path);
    const lower = path.toLowerCase();
    if (!left.some((each) => lower === each.path || lower.startsWith(each.below))) {
      response.once('close', () => {
        const isFailure = response.statusCode >= 500;
        if (isFailure || logsAll) {
          logger[isFailure ? 'error' : 'log']({
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
