import { type AuditedChange, defineAudit } from '../../../common/audit/audit-definition';
import type { DomainEvent } from '../../../common/events/domain-events';
import type { AgentEntity } from './agent.entity';

/** Fields that are not logged: those for comparing and sorting, and those that repeat others. */
const INTERNAL_FIELDS = new Set(['id', 'nameKey', 'deletionMarker', 'createdAt', 'updatedAt', 'deletedAt']);

/** The audit log's state of an agent: the columns under their wire names. */
export const agentAudit = defineAudit<AgentEntity>({
  subject: 'agent',
  state: (agent) =>
    Object.fromEntries(
      Object.entries(agent)
        .filter(([name]) => !INTERNAL_FIELDS.has(name))
        .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as unknown]),
    ),
  // Agents contain no personal data.
  personal: [],
});

export function agentChange(
  action: 'create' | 'update' | 'delete',
  id: number,
  change: { before: AgentEntity | null; after: AgentEntity | null },
): DomainEvent<AuditedChange> {
  return agentAudit.change(action, { id, userId: null, ...change });
}
