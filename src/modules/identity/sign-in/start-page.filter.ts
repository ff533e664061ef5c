import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { BrowserPageFilter } from '../../../common/redirects/browser-page.filter';
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
    return this.returnPages.ofFailure(request.query.return_to);
  }
}
