import { All, Controller, HttpCode, HttpStatus, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../security/access.decorator';
import { UnknownRouteService } from './unknown-route.service';
import { UNKNOWN_ROUTE } from './unknown-route-path';

/** Answers what no other route answers. Being a route, it has the guards before it: unknown paths are counted too. */
@Public()
@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  constructor(private readonly unknownRoutes: UnknownRouteService) {}

  /** An existing path answers OPTIONS with the header Allow and no body (RFC 9110 §9.3.7). */
  @Options(UNKNOWN_ROUTE)
  @HttpCode(HttpStatus.NO_CONTENT)
  options(@Req() request: Request, @Res({ passthrough: true }) response: Response): void {
    return this.unknownRoutes.describe(request, response);
  }

  @All(UNKNOWN_ROUTE)
  refuse(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    return this.unknownRoutes.refuse(request, response);
  }
}
