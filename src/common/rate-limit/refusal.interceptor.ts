import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { catchError, Observable } from 'rxjs';
import { toApiError } from '../errors/to-api-error';
import { RequestCounter } from './request-counter';

/** Counts against the address what was counted against a session and is refused all the same. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  constructor(private readonly counter: RequestCounter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        const request = context.switchToHttp().getRequest<Request>();
        if (request.countedSession !== null && toApiError(error).status < 500) {
          request.countedSession = null;
          await this.counter.recount(context);
        }
        throw error;
      }),
    );
  }
}
