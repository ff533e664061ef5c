import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';
import { MethodNotAllowedError, NotFoundError } from '../../errors/common.errors';
import { InvalidParameterError } from '../../errors/validation.errors';
import { allowedMethods } from './allowed-methods';
import { malformedPart } from './malformed-request.middleware';
import { askedPath } from './wrong-method.middleware';

/** Tells a wrong method from a wrong path. */
@Injectable()
export class UnknownRouteService {
  constructor(private readonly adapterHost: HttpAdapterHost<ExpressAdapter>) {}

  /**
   * Sets the header Allow.
   *
   * @throws NotFoundError when the path has no route
   * @throws InvalidParameterError when the request was led here because it is malformed
   */
  describe(request: Request, response: Response): void {
    const fault = malformedPart(request);
    if (fault) {
      throw new InvalidParameterError([fault]);
    }
    const application = this.adapterHost.httpAdapter.getInstance<Application>();
    const methods = allowedMethods(application, askedPath(request));
    if (methods.length === 0) {
      throw new NotFoundError();
    }
    response.setHeader('Allow', methods.join(', '));
  }

  /** @throws MethodNotAllowedError with the header Allow set, or what `describe` throws. */
  refuse(request: Request, response: Response): never {
    this.describe(request, response);
    throw new MethodNotAllowedError();
  }
}
