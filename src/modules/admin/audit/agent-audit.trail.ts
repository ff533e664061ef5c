import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { AgentEntity } from '../../agent/entities/agent.entity';
import { AuditScope } from './audit-scope';
import { AuditState, changeOf } from './audit-state';
import { AuditService } from './audit.service';

/** Kept for comparing and ordering; they say nothing that another field does not. */
const INTERNAL_FIELDS = new Set(['id', 'nameKey', 'deletionMarker', 'createdAt', 'updatedAt', 'deletedAt']);

/**
 * Puts what administrators do to agents into the log. The agent module knows nothing of it: the entry is written by a
 * listener, in the transaction of the change.
 */
@Injectable()
export class AgentAuditTrail {
  constructor(
    private readonly database: Database,
    private readonly scope: AuditScope,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on('agent.*', (event, manager) => this.record(event, manager));
  }

  /** All agents as they are; there are few, and one change may touch several. */
  async snapshot(): Promise<ReadonlyMap<number, AgentEntity>> {
    const agents = await this.database.repository(AgentEntity).find();
    return new Map(agents.map((agent) => [agent.id, agent]));
  }

  private async record({ type, data }: DomainEvent, manager: EntityManager): Promise<void> {
    const request = this.scope.current;
    const { agent_id: id } = data as { agent_id: number };
    // Without a request it is the service itself, which brings its starter agents along.
    if (!request) {
      return;
    }
    const action = type.replace(/d$/, '');
    const before = stateOf(request.agentsBefore.get(id) ?? null);
    const after = stateOf(action === 'agent.delete' ? null : await manager.findOneBy(AgentEntity, { id }));
    const change = changeOf(before, after);
    await this.audit.record(manager, request.actor, { action, targetType: 'agent', targetId: id, ...change });
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
