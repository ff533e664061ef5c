import { CallHandler, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { mergeMap, Observable } from 'rxjs';
import { WriteAudit } from '../../../common/audit/audit.interceptor';
import { type AuditedChange, auditedRequest } from '../../../common/audit/audit-definition';
import { AuditState } from '../../../common/audit/audit-state';
import {
  AUDITED_METADATA,
  AuditedAction,
  AUDITS_ADMINISTRATORS_METADATA,
  AUDITS_EVERYBODY_METADATA,
} from '../../../common/audit/audited.decorator';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Access, ACCESS_METADATA } from '../../../common/security/access.decorator';
import { contextOf } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { AuditedRequest, AuditScope } from './audit-scope';

/** Safe methods (RFC 9110 §9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Ensures that every successful write of an administrator, on a route of any module, is logged before the response is
 * sent. Most routes publish their change in its transaction, and `AuditTrail` writes the entry there. For all other
 * routes, and for requests without changes, this class publishes the entry, with the body fields that the route names.
 * If that fails, the request fails too, although its change stays. The caller then knows about the problem, and no
 * unlogged write is reported as a success.
 *
 * Start here in this folder. `audit.controller.ts` reads the log.
 */
@Injectable()
export class AuditOfWrites extends WriteAudit {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: Database,
    private readonly scope: AuditScope,
    private readonly events: DomainEvents,
  ) {
    super();
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    // Both the controller's and the method's decorators may add the audit.
    if (this.scope.current || !this.isAudited(context, request)) {
      return next.handle();
    }
    const audited: AuditedRequest = { context: contextOf(request), isRecorded: false };
    const close = async (answer: unknown): Promise<unknown> => {
      if (!audited.isRecorded) {
        const event = this.eventOf(context, request);
        await this.scope.resume(audited, () => this.database.write((manager) => this.events.publish(manager, event)));
      }
      return answer;
    };
    return this.scope.run(audited, () => next.handle().pipe(mergeMap(close)));
  }

  private isAudited(context: ExecutionContext, request: Request): boolean {
    const { method, principal } = request;
    const places = [context.getHandler(), context.getClass()];
    const named = this.reflector.get<AuditedAction | undefined>(AUDITED_METADATA, context.getHandler());
    const isLeftOut = named === undefined ? SAFE_METHODS.has(method) : !has(request, named.onlyWith);
    if (isLeftOut) {
      return false;
    }
    if (principal?.userType !== 'admin') {
      return this.reflector.getAllAndOverride(AUDITS_EVERYBODY_METADATA, places) === true;
    }
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, places);
    return (
      access === 'admin' ||
      [AUDITS_ADMINISTRATORS_METADATA, AUDITS_EVERYBODY_METADATA].some(
        (name) => this.reflector.getAllAndOverride(name, places) === true,
      )
    );
  }

  private eventOf(context: ExecutionContext, request: Request): DomainEvent<AuditedChange> {
    const named = this.reflector.get<AuditedAction | undefined>(AUDITED_METADATA, context.getHandler());
    const path = pathOf(request.route);
    const id: unknown = request.params.id;
    return auditedRequest({
      action: named?.action ?? `${request.method} ${path}`,
      targetType: named?.targetType ?? areaOf(path).replace(/s$/, ''),
      targetId: typeof id === 'string' ? id : null,
      before: null,
      after: named ? fieldsOf(request.body, named.fields) : null,
    });
  }
}

/** Whether the request has the member. Always true if no member is given. */
function has({ query, body }: Request, member: string | undefined): boolean {
  return (
    member === undefined || [query, body].some((sent) => typeof sent === 'object' && sent !== null && member in sent)
  );
}

/** The named fields of the body as sent. Other fields may contain secrets. */
function fieldsOf(body: unknown, names: string[]): AuditState {
  const sent = Object.entries((body ?? {}) as AuditState);
  return Object.fromEntries(sent.filter(([name]) => names.includes(name)));
}

/** The route's pattern after the version prefix, such as `/agents/:id/test`. */
function pathOf(route: unknown): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path.replace(/^\/api\/v\d+/, '') : '';
}

function areaOf(path: string): string {
  return path.split('/')[1] ?? '';
}
