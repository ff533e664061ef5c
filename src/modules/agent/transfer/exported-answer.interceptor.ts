import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { isObject } from 'class-validator';
import type { Request } from 'express';
import type { Observable } from 'rxjs';

/** The answer of the export, as far as it matters here. */
interface ExportedAnswer {
  data?: unknown;
  agents?: unknown;
  lang?: unknown;
}

/** Reads the whole answer of the export, which a file usually holds, as the document in its `data`. */
@Injectable()
export class ExportedAnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const body: unknown = request.body;
    if (isObject<ExportedAnswer>(body) && body.agents === undefined && isObject<object>(body.data)) {
      request.body = { lang: body.lang, ...body.data };
    }
    return next.handle();
  }
}
