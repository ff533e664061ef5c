import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '../security/without-secrets';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each request an id: the caller's `X-Request-Id` when it is well-formed, otherwise a new id. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const inbound = request.headers['x-request-id'];
  request.id = typeof inbound === 'string' && isAccepted(inbound) ? inbound : randomUUID();
  request.startedAt = performance.now();
  response.setHeader('X-Request-Id', request.id);
  next();
}

function isAccepted(id: string): boolean {
  return ACCEPTED.test(id) && withoutSecrets(id) === id;
}
