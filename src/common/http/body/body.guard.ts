import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { ApiErrorClass } from '../../errors/api-error';
import {
  InvalidJsonError,
  NotAcceptableError,
  PayloadTooLargeError,
  ServiceOverloadedError,
  TooManyBodiesError,
  UnsupportedMediaTypeError,
} from '../../errors/common.errors';
import { ValidationFailedError } from '../../errors/validation.errors';
import { LanguageBodyDto } from '../../validation/language-body.dto';
import { RequestValidationPipe } from '../../validation/request-validation.pipe';
import { ApiPaths } from '../api-paths';
import { UnknownRouteController } from '../method-not-allowed/unknown-route.controller';
import { AcceptsAnyType, bodyRulesOf } from './body-rules.decorator';
import { BodyReceiver } from './request-body';

/** The errors that every route can return for a body. The documentation shows them where `readsBody` is true. */
export const BODY_ERRORS: ApiErrorClass[] = [
  InvalidJsonError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationFailedError,
];

/** Further refusals of bodies over 1 MiB. Routes that read such bodies document them. */
export const LARGE_BODY_ERRORS: ApiErrorClass[] = [TooManyBodiesError, ServiceOverloadedError];

/**
 * The last guard of the pipeline, which reads the body. The other guards have accepted the request by now; the body of
 * a refused request is never read. If a route has no body class of its own, this guard checks the rules for every body:
 * it is an object, and `lang` is a language tag.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly validation = new RequestValidationPipe();

  constructor(
    private readonly bodies: BodyReceiver,
    private readonly paths: ApiPaths,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const isUnknownRoute = context.getClass() === UnknownRouteController;
    try {
      await this.bodies.receive(context);
    } catch (error) {
      // An unknown path is 404, whatever the type of the body.
      if (!isUnknownRoute || !(error instanceof UnsupportedMediaTypeError)) {
        throw error;
      }
    }
    if (!isUnknownRoute && !this.acceptsOurTypes(context, request)) {
      throw new NotAcceptableError();
    }
    return request.body === undefined || isValidatedByRoute(context) || this.check(request.body);
  }

  /**
   * API routes return JSON, under the media type of their standard, CSV, plain text or server-sent events. Paths
   * outside the API serve browsers and tools of all kinds, so their `Accept` is not checked.
   */
  private acceptsOurTypes(context: ExecutionContext, request: Request): boolean {
    const { accept } = request.headers;
    if (accept === undefined || !this.paths.includes(request.originalUrl) || accept.includes('*/*')) {
      return true;
    }
    if (this.reflector.get<boolean | undefined>(AcceptsAnyType.KEY, context.getHandler())) {
      return true;
    }
    const { otherJson } = bodyRulesOf(this.reflector, context);
    const types = ['application/json', 'text/plain', 'text/event-stream', 'text/csv'];
    const ours = otherJson === null ? types : [...types, otherJson];
    // With the charset, because an accepted type with a parameter matches only a type that has it.
    return request.accepts(ours.map((type) => `${type}; charset=utf-8`)) !== false;
  }

  private async check(body: unknown): Promise<boolean> {
    await this.validation.transform(body, { type: 'body', metatype: LanguageBodyDto });
    return true;
  }
}

/** The result for each handler. It is cached because reading the metadata takes longer than validating most bodies. */
const validatedByRoute = new WeakMap<object, boolean>();

/**
 * True if the route's own body class validates `lang` with its other fields, and for unknown paths.
 *
 * @borrowed routes
 */
function isValidatedByRoute(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  let isValidated = validatedByRoute.get(handler);
  if (isValidated === undefined) {
    const controller = context.getClass();
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
    isValidated =
      controller === UnknownRouteController ||
      Object.keys(parameters).some((name) => name.startsWith(`${RouteParamtypes.BODY}:`));
    validatedByRoute.set(handler, isValidated);
  }
  return isValidated;
}
