import { defineAudit } from '../../../common/audit/audit-definition';
import type { AuditState } from '../../../common/audit/audit-state';
import type { LegalHold } from '../../hold/hold.api';

/** The audit log's state of a legal hold, or facts about an export of it. */
export const holdAudit = defineAudit<AuditState>({
  subject: 'hold',
  state: (facts) => facts,
  personal: [],
  isAlwaysLogged: true,
});

export function auditedHold(hold: LegalHold): AuditState {
  const { scope, scopeId, name, reason, notify, until, status, releaseReason } = hold;
  return {
    scope,
    scope_id: scopeId,
    name,
    reason,
    notify,
    until: until?.toISOString() ?? null,
    status,
    release_reason: releaseReason,
  };
}
