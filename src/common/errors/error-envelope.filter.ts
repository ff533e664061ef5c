import { ArgumentsHost, Catch, ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';
import { exposeHeaders } from '../http/exposed-headers';
import { leaveUnread } from '../http/unread-body';
import { requestLanguage } from '../i18n/negotiate-language';
import { prefersPage, renderPage } from '../pages/page';
import { asksForSentence } from './asks-for-sentence';
import { NotFoundError } from './common.errors';
import { errorBody, retryAfterOf } from './error-body';
import { toApiError } from './to-api-error';

/** What a handler may have said of the answer that it could not give. */
const FILE_HEADERS = ['Accept-Ranges', 'Content-Range', 'ETag', 'Last-Modified'];

exposeHeaders(['Retry-After'], 30);
exposeHeaders(['WWW-Authenticate'], 80);

/**
 * Renders everything that is thrown anywhere: guards, pipes, handlers, unknown routes, broken JSON. A browser is told of a
 * missing page by a page. Faults of ours go to the log with their cause under the request id; bodies, headers and tokens
 * never do.
 */
@Catch()
@Injectable()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorEnvelopeFilter.name);

  constructor(private readonly config: AppConfig) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = toApiError(thrown);
    if (error.status >= 500 && error.options.isLogged !== false) {
      this.logger.error({ request_id: request.id, code: error.code, error: error.cause ?? error }, error.message);
    }
    if (response.headersSent) {
      // Too late for a status: cutting the connection is the only way to say that the answer is not whole.
      response.destroy();
      return;
    }
    leaveUnread(request, response);
    response.status(error.status);
    for (const name of FILE_HEADERS) {
      response.removeHeader(name);
    }
    response.setHeader('Cache-Control', 'no-store');
    if (error instanceof NotFoundError && prefersPage(request)) {
      response.send(renderPage('not_found', this.config, request, response));
      return;
    }
    if (error.status === 401) {
      response.setHeader('WWW-Authenticate', 'Bearer');
    }
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) {
      response.setHeader('Retry-After', retryAfter);
    }
    const body = errorBody(error, requestLanguage(request));
    if (asksForSentence(request)) {
      response.type('text/plain').send(body.error.message);
    } else {
      response.type('application/json').json(body);
    }
  }
}
