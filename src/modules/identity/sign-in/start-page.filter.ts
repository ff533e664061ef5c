import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { BrowserPageFilter } from '../../../common/redirects/browser-page.filter';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { AppConfig } from '../../../config/app.config';
import { ReturnPages } from './return-pages';

/** Redirects a failed start of a sign-in to the page that requested it. */
@Catch()
@Injectable()
export class StartPageFilter extends BrowserPageFilter {
  constructor(
    config: AppConfig,
    private readonly returnPages: ReturnPages,
  ) {
    super(config);
  }

  protected override pageOf(request: Request): string | null {
    const { return_to: returnTo } = request.query;
    // The service may run without a console.
    const isNamed = returnTo !== CONSOLE_PAGE && this.returnPages.isAllowed(returnTo);
    return isNamed ? returnTo : super.pageOf(request);
  }
}
