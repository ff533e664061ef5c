import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { BodyMemory } from './body-memory';
import { bodyRulesOf, RewriteBody } from './body-rules.decorator';
import { readBody } from './request-body';

/** A body has no meaning in requests with these methods (RFC 9110 §9.3.1), so the service does not read it. */
const BODILESS_METHODS = new Set(['GET', 'HEAD']);

/** Whether the service checks the body of requests with this method, on every route. */
export function readsBody(method: string): boolean {
  return !BODILESS_METHODS.has(method.toUpperCase());
}

/** Reads the bodies of requests, for the guards. */
@Injectable()
export class BodyReceiver {
  constructor(
    private readonly reflector: Reflector,
    private readonly memory: BodyMemory,
  ) {}

  /**
   * Reads the body as the rules of the route say, unless an earlier guard has done so.
   *
   * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError
   */
  async receive(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.isBodyReceived || !readsBody(request.method)) {
      return;
    }
    const body = await readBody(
      request,
      http.getResponse<Response>(),
      bodyRulesOf(this.reflector, context),
      this.memory,
    );
    const rewrite = this.reflector.get(RewriteBody, context.getHandler()) as ((body: unknown) => unknown) | undefined;
    request.body = rewrite ? rewrite(body) : body;
    request.isBodyReceived = true;
  }
}
