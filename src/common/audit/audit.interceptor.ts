import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';

/** Ensures that writes of administrators are in the audit log. The module with the log provides it. */
export abstract class WriteAudit implements NestInterceptor {
  abstract intercept(context: ExecutionContext, next: CallHandler): Observable<unknown>;
}

/**
 * Added by `@AdminOnly()`, `@AuditAdministrators()` and `@AuditEverybody()`, so that no route needs to declare it. It
 * is not global because an interceptor costs more than all guards together.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly audit: WriteAudit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.audit.intercept(context, next);
  }
}
