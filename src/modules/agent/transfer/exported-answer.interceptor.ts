import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { isObject } from 'class-validator';
import type { Request } from 'express';
import type { Observable } from 'rxjs';

/** The parts of the export's answer that matter here. */
interface ExportedAnswer {
  data?: unknown;
  agents?: unknown;
  lang?: unknown;
}

/** Accepts the whole answer of the export too, because files usually hold it: it takes the document from `data`. */
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
