import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '../security/without-secrets';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Assigns an id to each request: the caller's `X-Request-Id` if it is well-formed, otherwise a new id. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  request.id = inboundOrNewId(request);
  request.startedAt = performance.now();
  response.setHeader('X-Request-Id', request.id);
  next();
}

export function inboundOrNewId({ headers }: IncomingMessage): string {
  const inbound = headers['x-request-id'];
  return typeof inbound === 'string' && isAccepted(inbound) ? inbound : randomUUID();
}

function isAccepted(id: string): boolean {
  return ACCEPTED.test(id) && withoutSecrets(id) === id;
}
