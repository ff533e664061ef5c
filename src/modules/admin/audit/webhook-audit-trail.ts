import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import type { WebhookActionEventData } from '../../webhook/webhook.api';
import { AuditService } from './audit.service';
import { AuditScope } from './audit-scope';
import { AuditState, changeOf } from './audit-state';

/** They say nothing that the entry does not say itself. */
const KNOWN_FIELDS = new Set(['id', 'webhook_id', 'created_at', 'updated_at']);

/**
 * Puts what administrators do with their webhooks into the log. The webhook module knows nothing of it: the entry is
 * written by a listener, in the transaction of the change.
 */
@Injectable()
export class WebhookAuditTrail {
  constructor(
    private readonly scope: AuditScope,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on('webhook.*', (event, manager) => this.record(event, manager));
  }

  private async record({ type, userId, data, isInternal }: DomainEvent, manager: EntityManager): Promise<void> {
    const request = this.scope.current;
    // Events for the endpoints themselves, such as tests, pass here too.
    if (!request || !isInternal) {
      return;
    }
    const { webhook_id: targetId, delivery_id, before, after } = data as WebhookActionEventData;
    const subject = delivery_id === undefined ? {} : { delivery_id };
    const change = changeOf(stateOf(before), stateOf(after));
    await this.audit.record(manager, request.actor, {
      action: type,
      targetType: 'webhook',
      targetId,
      subjectId: userId ?? undefined,
      before: change.before && { ...subject, ...change.before },
      after: change.after && { ...subject, ...change.after },
    });
  }
}

function stateOf(shown: object | null): AuditState | null {
  return shown && Object.fromEntries(Object.entries(shown).filter(([name]) => !KNOWN_FIELDS.has(name)));
}
