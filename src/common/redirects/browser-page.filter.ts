import { ArgumentsHost, Catch, ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';
import { errorMessage, retryAfterOf } from '../errors/error-body';
import { toApiError } from '../errors/to-api-error';
import { leaveUnread } from '../http/body/request-body';
import { requestLanguage } from '../i18n/negotiate-language';
import { CONSOLE_PAGE } from './return-addresses';

const RETURN_PAGE = Symbol('the page that a browser comes back to');

type ComingBack = Request & { [RETURN_PAGE]?: string };

/** From now on, failures of the request redirect to this page. */
export function redirectFailures(request: Request, page: string): void {
  (request as ComingBack)[RETURN_PAGE] = page;
}

/**
 * The response of a route that a browser opens is shown to people, so it is never JSON. Every failure, including that
 * of a guard, redirects to the page that started the flow, or to the console. Without a console it is a plain page.
 */
@Catch()
@Injectable()
export class BrowserPageFilter implements ExceptionFilter {
  private readonly logger = new Logger(BrowserPageFilter.name);

  constructor(private readonly config: AppConfig) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error = toApiError(thrown);
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (error.status >= 500 && error.options.isLogged !== false) {
      this.logger.error({ request_id: request.id, code: error.code, error: error.cause ?? error }, error.message);
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    leaveUnread(request, response);
    response.setHeader('Cache-Control', 'no-store');
    const page = this.pageOf(request);
    if (page !== null) {
      response.redirect(302, withParameter(page, 'error', error.code));
      return;
    }
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) {
      response.setHeader('Retry-After', retryAfter);
    }
    const sentence = errorMessage(error, requestLanguage(request));
    response.status(error.status).type('text/plain; charset=utf-8').send(`${sentence}\n`);
  }

  /** Where the browser is redirected; null: there is no page. */
  protected pageOf(request: Request): string | null {
    return (request as ComingBack)[RETURN_PAGE] ?? (this.config.CONSOLE_ENABLED ? CONSOLE_PAGE : null);
  }
}

/** @param page without query and fragment */
export function withParameter(page: string, name: string, value: string): string {
  return `${page}?${name}=${encodeURIComponent(value)}`;
}
