import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ATTRIBUTES } from './conventions';
import type { RemoteContext } from './span';
import { parseTraceparent } from './trace-context';
import type { Tracing } from './tracing';

const KNOWN_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  'QUERY',
]);

/**
 * A span for each request, named by the pattern of its route.
 *
 * @param untraced paths that are left out, with all paths below them, in lower case
 */
export function requestSpans(tracing: Tracing, untraced: readonly string[]): RequestHandler {
  const left = untraced.map((path) => ({ path, below: `${path}/` }));
  return (request: Request, response: Response, next: NextFunction): void => {
    const path = request.path.toLowerCase();
    if (path === '/' || left.some((each) => path === each.path || path.startsWith(each.below))) {
      next();
      return;
    }
    const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER';
    const span = tracing.start(method, {
      kind: 'server',
      ...tracing.contextOf(incomingContext(request)),
      attributes: {
        [ATTRIBUTES.httpMethod]: method,
        [ATTRIBUTES.urlScheme]: request.protocol,
        [ATTRIBUTES.requestId]: request.id,
      },
    });
    request.span = span;
    response.once('close', () => {
      const { path: route } = (request.route ?? {}) as { path?: unknown };
      const isKnown = typeof route === 'string';
      if (isKnown) {
        span.rename(`${method} ${route}`);
      }
      span.set({ [ATTRIBUTES.httpRoute]: isKnown ? route : null, [ATTRIBUTES.httpStatus]: response.statusCode });
      span.end();
    });
    tracing.within(span, next);
  };
}

function incomingContext({ headers }: Request): RemoteContext | null {
  const context = parseTraceparent(headers.traceparent);
  const { tracestate } = headers;
  return context !== null && typeof tracestate === 'string' ? { ...context, state: tracestate } : context;
}
