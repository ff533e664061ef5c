import { All, Controller, HttpCode, HttpStatus, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Application, Request, Response } from 'express';
import { MethodNotAllowedError, NotFoundError } from '../../errors/common.errors';
import { InvalidParameterError } from '../../errors/validation.errors';
import { Public } from '../../security/access.decorator';
import { allowedMethods, UNKNOWN_ROUTE } from './allowed-methods';
import { malformedPart, originalPath } from './divert-request.middleware';

/**
 * Handles requests that no other route matches, and distinguishes a wrong method from a wrong path. It is a route, so
 * the guards run before it, and the rate limit counts unknown paths too.
 */
@Public()
@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  /** OPTIONS on an existing path returns the header Allow and no body (RFC 9110 §9.3.7). */
  @Options(UNKNOWN_ROUTE)
  @HttpCode(HttpStatus.NO_CONTENT)
  options(@Req() request: Request, @Res({ passthrough: true }) response: Response): void {
    setAllow(request, response);
  }

  /** @throws MethodNotAllowedError with the header Allow set, or the errors of `setAllow` */
  @All(UNKNOWN_ROUTE)
  refuse(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    setAllow(request, response);
    throw new MethodNotAllowedError();
  }
}

/**
 * @throws NotFoundError if the path has no route
 * @throws InvalidParameterError if the request is malformed
 */
function setAllow(request: Request, response: Response): void {
  const fault = malformedPart(request);
  if (fault) {
    throw new InvalidParameterError([fault]);
  }
  const methods = allowedMethods(request.app as Application, originalPath(request));
  if (methods.length === 0) {
    throw new NotFoundError();
  }
  response.setHeader('Allow', methods.join(', '));
}
