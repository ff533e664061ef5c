import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';
import { ApiPaths } from '../http/api-paths';
import { NotRateLimited } from '../rate-limit/not-rate-limited.decorator';
import { Public } from '../security/access.decorator';
import { prefersPage, renderPage } from './page';
import { type ServiceLinks, serviceLinks } from './service-links';

/** The root of the service: a page for people, and the same links as JSON for programs. */
@Public()
@NotRateLimited()
@ApiExcludeController()
@Controller()
export class HomeController {
  constructor(
    private readonly config: AppConfig,
    private readonly paths: ApiPaths,
  ) {}

  @Get()
  home(@Req() request: Request, @Res({ passthrough: true }) response: Response): string | ServiceLinks {
    response.vary('Accept');
    return prefersPage(request, this.paths)
      ? renderPage('home', this.config, request, response)
      : serviceLinks(this.config);
  }
}
