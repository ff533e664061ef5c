import { CallHandler, ExecutionContext, Injectable, NestInterceptor, StreamableFile } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { map, Observable } from 'rxjs';
import { requestLanguage } from '../i18n/negotiate-language';
import { translate } from '../i18n/translator';
import { ENVELOPED_METADATA, MessageKey } from './enveloped.decorator';

/*
 * This folder gives successful answers their form. Routes with `@Enveloped()` answer in the envelope below, lists of such
 * routes as a `Page`. Other routes answer bare objects, and lists with the header X-Total-Count (`total-count.ts`).
 */

/** Success envelope of routes marked with `@Enveloped()`. */
export interface SuccessBody<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

/** Wraps what an enveloped handler returns, except files. `ErrorEnvelopeFilter` makes the envelope of failures. */
@Injectable()
export class SuccessEnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const messageKey = this.reflector.getAllAndOverride<MessageKey<unknown> | undefined>(ENVELOPED_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (messageKey === undefined) {
      return next.handle();
    }
    const request = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(
      map((data: unknown): SuccessBody<unknown> | StreamableFile =>
        data instanceof StreamableFile
          ? data
          : {
              success: true,
              data: data ?? {},
              message: translate(
                requestLanguage(request),
                typeof messageKey === 'string' ? messageKey : messageKey(data),
                data as Record<string, unknown> | undefined,
              ),
              timestamp: new Date().toISOString(),
            },
      ),
    );
  }
}
