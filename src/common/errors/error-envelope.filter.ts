import { ArgumentsHost, Catch, ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';
import { ApiPaths } from '../http/api-paths';
import { leaveUnread } from '../http/body/request-body';
import { requestLanguage } from '../i18n/negotiate-language';
import { prefersPage, renderPage } from '../pages/page';
import { ATTRIBUTES } from '../tracing/conventions';
import { NotFoundError } from './common.errors';
import { errorMessage, retryAfterOf } from './error-body';
import { ENVELOPE, type ErrorDialect } from './error-dialect';
import { ErrorDialects } from './error-dialects';
import { toApiError } from './to-api-error';

/** Carries the code of an error whose body is only its message. */
const ERROR_CODE = 'X-Error-Code';

/** Headers that a handler may have set for a response that then failed. */
const FILE_HEADERS = ['Accept-Ranges', 'Content-Range', 'ETag', 'Last-Modified'];

/**
 * Renders every thrown error: from guards, pipes, handlers, unknown routes and malformed JSON. The path decides the
 * dialect. A browser gets an HTML page for a missing page. Faults of the service go to the log with their cause and the
 * request id. Bodies, headers and tokens are never logged.
 */
@Catch()
@Injectable()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorEnvelopeFilter.name);

  constructor(
    private readonly config: AppConfig,
    private readonly paths: ApiPaths,
    private readonly dialects: ErrorDialects,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = toApiError(thrown);
    if (error.status >= 500 && error.options.isLogged !== false) {
      this.logger.error({ request_id: request.id, code: error.code, error: error.cause ?? error }, error.message);
    }
    if (error.status >= 500) {
      request.span?.fail(error.code);
    } else {
      request.span?.set({ [ATTRIBUTES.errorType]: error.code });
    }
    if (response.headersSent) {
      // Too late for a status. Only a closed connection can show the caller that the response is incomplete.
      response.destroy();
      return;
    }
    leaveUnread(request, response);
    const dialect: ErrorDialect = this.dialects.of(request.originalUrl);
    response.status(dialect.status(error));
    for (const [name, value] of Object.entries(dialect.headers(error))) {
      response.setHeader(name, value);
    }
    for (const name of FILE_HEADERS) {
      response.removeHeader(name);
    }
    response.setHeader('Cache-Control', 'no-store');
    if (error instanceof NotFoundError && prefersPage(request, this.paths)) {
      response.send(renderPage('not_found', this.config, request, response));
      return;
    }
    if (error.status === 401 && dialect.hasChallenge !== false) {
      response.setHeader('WWW-Authenticate', 'Bearer');
    }
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) {
      response.setHeader('Retry-After', retryAfter);
    }
    const language = requestLanguage(request);
    if (dialect === ENVELOPE && wantsPlainText(request)) {
      response.setHeader(ERROR_CODE, error.code);
      response.type('text/plain').send(errorMessage(error, language));
    } else {
      response
        .type(dialect.contentType)
        .json(dialect.body(error, language, request.originalUrl, undefined, request.id));
    }
  }
}

/**
 * Whether the caller wants a failure as plain text with only its message. Pages of the AI SDK show people the whole
 * body of a failed request. Such requests have `stream_format=ui_message` in the query or the body. This reads the raw
 * values, because guards may refuse a request before its values are validated.
 */
function wantsPlainText({ query, body }: Request): boolean {
  return [query, body as unknown].some(
    (fields) => (fields as { stream_format?: unknown } | undefined | null)?.stream_format === 'ui_message',
  );
}
