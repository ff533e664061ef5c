import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AUDITED_CHANGES, type AuditedChange } from '../../../common/audit/audit-definition';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { AuditService } from './audit.service';
import { AuditScope } from './audit-scope';

/**
 * Puts the changes that modules publish (`defineAudit`) into the log, in the transaction of the change, when an
 * administrator made them. The modules do not know the log.
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
    // Without an audited request it is a user, or the service itself, which brings its starter agents along.
    if (request) {
      await this.audit.record(manager, request.actor, { ...data, subjectId: userId ?? undefined });
    }
  }
}
