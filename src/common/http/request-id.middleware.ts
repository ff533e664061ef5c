import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { withoutSecrets } from '../security/without-secrets';
import type { ApiPaths } from './api-paths';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Assigns an id to each request: the caller's `X-Request-Id` if it is well-formed, otherwise a new id. */
export function requestId(apis: ApiPaths): RequestHandler {
  return (request: Request, response, next): void => {
    request.id = inboundOrNewId(request);
    request.startedAt = performance.now();
    response.setHeader('X-Request-Id', request.id);
    const { requestIdHeader } = apis.headersOf(request.path);
    if (requestIdHeader !== undefined) {
      response.setHeader(requestIdHeader, request.id);
    }
    next();
  };
}

export function inboundOrNewId({ headers }: IncomingMessage): string {
  const inbound = headers['x-request-id'];
  return typeof inbound === 'string' && isAccepted(inbound) ? inbound : randomUUID();
}

function isAccepted(id: string): boolean {
  return ACCEPTED.test(id) && withoutSecrets(id) === id;
}
