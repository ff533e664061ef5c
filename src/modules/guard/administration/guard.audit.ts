import { defineAudit } from '../../../common/audit/audit-definition';
import type { GuardEntity } from '../guards/guard.entity';

/** The audit log contains all fields of a guard except its secrets. */
export const guardAudit = defineAudit<GuardEntity & { isSecretNew?: boolean; areHeadersNew?: boolean }>({
  subject: 'guard',
  state: (guard) => ({
    name: guard.name,
    kind: guard.kind,
    url: guard.url,
    header_names: guard.headerNames,
    stages: guard.stages,
    mode: guard.mode,
    on_error: guard.onError,
    timeout_ms: guard.timeoutMs,
    groups: guard.groupIds,
    agents: guard.agentIds,
    window: guard.window,
    restore: guard.restore,
    rules: guard.rules,
    position: guard.position,
    is_active: guard.isActive,
    ...(guard.isSecretNew && { secret: 'changed' }),
    ...(guard.areHeadersNew && { headers: 'changed' }),
  }),
  personal: [],
});
