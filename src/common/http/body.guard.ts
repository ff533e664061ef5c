import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { ApiErrorClass } from '../errors/api-error';
import {
  InvalidJsonError,
  NotAcceptableError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../errors/common.errors';
import { ValidationFailedError } from '../errors/validation.errors';
import { LanguageBodyDto } from '../validation/language-body.dto';
import { RequestValidationPipe } from '../validation/request-validation.pipe';
import { bodyRulesOf } from './body-rules.decorator';
import { UnknownRouteController } from './method-not-allowed/unknown-route.controller';
import { readBody } from './request-body';

/** What every route that reads bodies can say of one; the documentation shows it where `readsBody` holds. */
export const BODY_ERRORS: ApiErrorClass[] = [
  InvalidJsonError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationFailedError,
];

/** Methods whose requests have no body that means anything (RFC 9110 §9.3.1); one that comes is not looked at. */
const BODILESS_METHODS = new Set(['GET', 'HEAD']);

/** Whether requests of the method have their body checked, on every route alike. */
export function readsBody(method: string): boolean {
  return !BODILESS_METHODS.has(method.toUpperCase());
}

/**
 * Last of the pipeline's guards: reads the body, now that the caller may send one; whoever was refused before has sent it
 * in vain, and it cost nobody anything. Where a route takes no body, this is also the place that holds it to what is true
 * of every body: an object, with a language in `lang`.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly validation = new RequestValidationPipe();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (readsBody(request.method)) {
      const rules = bodyRulesOf(this.reflector, context);
      request.body = await readBody(request, http.getResponse<Response>(), rules);
    }
    if (!acceptsOurTypes(request)) {
      throw new NotAcceptableError();
    }
    return request.body === undefined || isLeftToOthers(context) || this.check(request.body);
  }

  private async check(body: unknown): Promise<boolean> {
    await this.validation.transform(body, { type: 'body', metatype: LanguageBodyDto });
    return true;
  }
}

/** What is known of each handler; looked up once, because its metadata takes longer than most bodies. */
const leftToOthers = new WeakMap<object, boolean>();

/** The body's own class checks it, with the rest of its fields; and a path that does not exist asks nothing of it. */
function isLeftToOthers(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  let isLeft = leftToOthers.get(handler);
  if (isLeft === undefined) {
    const controller = context.getClass();
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
    isLeft =
      controller === UnknownRouteController ||
      Object.keys(parameters).some((name) => name.startsWith(`${RouteParamtypes.BODY}:`));
    leftToOthers.set(handler, isLeft);
  }
  return isLeft;
}

/**
 * The routes answer JSON, and streams plain text or server-sent events. What stands outside of the API is for browsers
 * and tools of all kinds, which get what there is.
 */
function acceptsOurTypes(request: Request): boolean {
  const accept = request.headers.accept;
  return (
    accept === undefined ||
    !/^\/api\//i.test(request.path) ||
    accept.includes('*/*') ||
    request.accepts(['application/json', 'text/plain', 'text/event-stream', 'text/csv']) !== false
  );
}
