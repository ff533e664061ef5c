import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import type { AgentActionEventData, AgentEntity } from '../../agent/agent.api';
import { AuditService } from './audit.service';
import { AuditScope } from './audit-scope';
import { AuditState, changeOf } from './audit-state';

/** Kept for comparing and ordering; they say nothing that another field does not. */
const INTERNAL_FIELDS = new Set(['id', 'nameKey', 'deletionMarker', 'createdAt', 'updatedAt', 'deletedAt']);

/**
 * Puts what administrators do to agents into the log. The agent module knows nothing of it: the entry is written by a
 * listener, in the transaction of the change.
 */
@Injectable()
export class AgentAuditTrail {
  constructor(
    private readonly scope: AuditScope,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on('agent.*', (event, manager) => this.record(event, manager));
  }

  private async record({ type, data, isInternal }: DomainEvent, manager: EntityManager): Promise<void> {
    const request = this.scope.current;
    // Without a request it is the service itself, which brings its starter agents along.
    if (!request || !isInternal) {
      return;
    }
    const { agent_id: targetId, before, after } = data as AgentActionEventData;
    const change = changeOf(stateOf(before), stateOf(after));
    await this.audit.record(manager, request.actor, { action: type, targetType: 'agent', targetId, ...change });
  }
}

function stateOf(agent: AgentEntity | null): AuditState | null {
  return (
    agent &&
    Object.fromEntries(
      Object.entries(agent)
        .filter(([name]) => !INTERNAL_FIELDS.has(name))
        .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as unknown]),
    )
  );
}
