import { type AuditedChange, defineAudit } from '../../../../common/audit/audit-definition';
import type { DomainEvent } from '../../../../common/events/domain-events';
import { argumentsHash } from '../calling/arguments-hash';
import type { ToolCallEntity } from '../tool-call.entity';

/** What the audit log stores about an action. Arguments are only stored as their SHA-256. */
interface AuditedAction {
  tool?: string;
  called_with?: string;
  /** Ids of the actions that were shown. */
  actions?: number[];
}

export const actionAudit = defineAudit<AuditedAction>({
  subject: 'action',
  state: (action) => ({ ...action }),
  personal: [],
});

/** The audit entry of a call that was approved with edited arguments. */
export function editedAction(id: number, call: ToolCallEntity, edited: unknown): DomainEvent<AuditedChange> {
  const { name: tool, pin, userId } = call;
  return actionAudit.change('edit', {
    id,
    userId,
    before: { called_with: call.argumentsHash },
    after: { called_with: argumentsHash(tool, pin, edited) },
    about: { tool },
  });
}
