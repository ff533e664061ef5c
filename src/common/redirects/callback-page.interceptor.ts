import { CallHandler, ExecutionContext, HttpStatus, Injectable, Logger, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, Observable, of } from 'rxjs';
import { AppConfig } from '../../config/app.config';
import { errorMessage } from '../errors/error-body';
import { toApiError } from '../errors/to-api-error';
import { contextOf } from '../security/request-context';
import { CONSOLE_PAGE } from './return-addresses';

const RETURN_PAGE = Symbol('the page that a browser comes back to');

type ComingBack = Request & { [RETURN_PAGE]?: string };

/** From now on, failures of the request lead to this page. */
export function returnFailuresTo(request: Request, page: string): void {
  (request as ComingBack)[RETURN_PAGE] = page;
}

/**
 * A browser that comes back from a provider gets no JSON: every failure leads to the page that began, or to the console, and
 * without a console to a plain page.
 */
@Injectable()
export class CallbackPageInterceptor implements NestInterceptor {
  private readonly logger = new Logger(CallbackPageInterceptor.name);

  constructor(private readonly config: AppConfig) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((thrown: unknown) => {
        const error = toApiError(thrown);
        if (error.code === 'INTERNAL_ERROR') {
          this.logger.error({ error: thrown }, 'A browser came back, and what it came for failed.');
        }
        const http = context.switchToHttp();
        const request = http.getRequest<Request>();
        const response = http.getResponse<Response>();
        const page = (request as ComingBack)[RETURN_PAGE] ?? (this.config.CONSOLE_ENABLED ? CONSOLE_PAGE : null);
        if (page === null) {
          const sentence = errorMessage(error, contextOf(request).language);
          response.status(HttpStatus.BAD_REQUEST).type('text/plain; charset=utf-8').send(`${sentence}\n`);
        } else {
          response.redirect(HttpStatus.FOUND, withParameter(page, 'error', error.code));
        }
        // An answer that is none would be a failure to Nest, which ends the connection.
        return of(undefined);
      }),
    );
  }
}

/** @param page without query and fragment */
export function withParameter(page: string, name: string, value: string): string {
  return `${page}?${name}=${encodeURIComponent(value)}`;
}
