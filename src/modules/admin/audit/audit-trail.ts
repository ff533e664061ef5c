import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AUDITED_CHANGES, type AuditedChange } from '../../../common/audit/audit-definition';
import { loggedState } from '../../../common/audit/audit-state';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import type { PublicRequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { insertRow } from '../../../database/statements/insert';
import { AuditLogEntity } from './audit-log.entity';
import { AuditScope } from './audit-scope';

/** The actor of entries outside audited requests: the service. */
const WITHOUT_REQUEST = { principal: null, address: '', userAgent: null, requestId: '' };

/**
 * Logs administrators' changes in the same transaction, so that the entry exists if and only if the change does. Only
 * this class writes to the log. Modules publish their changes (`defineAudit`) and do not depend on the log.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly scope: AuditScope,
    events: DomainEvents,
  ) {
    events.on(AUDITED_CHANGES, (event, manager) => this.hear(manager, event as DomainEvent<AuditedChange>));
  }

  private async hear(manager: EntityManager, event: DomainEvent<AuditedChange>): Promise<void> {
    const { actorId, isAlwaysLogged } = event.data;
    const request = isAlwaysLogged && actorId !== undefined ? undefined : this.scope.current;
    // Without an audited request, the change comes from a user or from the service itself, such as the starter agents.
    if (request) {
      await this.record(manager, request.context, event);
      this.database.onCommit(() => (request.isRecorded = true));
    } else if (isAlwaysLogged) {
      await this.record(manager, WITHOUT_REQUEST, event);
    }
  }

  /** Writes an entry within the change's transaction. */
  async record(
    manager: EntityManager,
    { principal, address, userAgent, requestId }: Omit<PublicRequestContext, 'language'>,
    { userId, data: { action, targetType, targetId, before, after, reason, actorId } }: DomainEvent<AuditedChange>,
  ): Promise<void> {
    await insertRow(manager, AuditLogEntity, {
      actorId: principal?.userId ?? actorId ?? 0,
      apiKeyId: principal?.apiKeyId ?? null,
      address: address.slice(0, 45),
      userAgent: userAgent?.slice(0, 512) ?? null,
      requestId: requestId.slice(0, 64),
      action: action.slice(0, 128),
      targetType: targetType.slice(0, 32),
      targetId: targetId === null ? null : String(targetId).slice(0, 64),
      subjectId: userId,
      before: loggedState(before),
      after: loggedState(after),
      reason: reason ?? null,
      createdAt: this.clock.now(),
    });
  }
}
