import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AUDITED_CHANGES, type AuditedChange } from '../../../common/audit/audit-definition';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { AuditService } from './audit.service';
import { AuditScope } from './audit-scope';

/**
 * Writes changes that administrators make into the log, in the transaction of the change. The modules publish the
 * changes (`defineAudit`) and do not know the log.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly scope: AuditScope,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on(AUDITED_CHANGES, (event, manager) => this.record(manager, event as DomainEvent<AuditedChange>));
  }

  private async record(manager: EntityManager, { userId, data }: DomainEvent<AuditedChange>): Promise<void> {
    const request = this.scope.current;
    // Without an audited request, the change comes from a user or from the service itself, such as the starter agents.
    if (request) {
      await this.audit.record(manager, request.actor, { ...data, subjectId: userId ?? undefined });
    }
  }
}
