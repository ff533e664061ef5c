import { defineAudit } from '../../../common/audit/audit-definition';
import type { SessionEntity } from './session.entity';

/** The audit log's view of a session. */
export const sessionAudit = defineAudit<SessionEntity>({
  subject: 'session',
  state: ({ scope, clientId, surface, deviceName, address, createdAt }) => ({
    kind: scope === null ? 'browser' : 'device',
    scopes: scope?.split(' ') ?? null,
    client_id: clientId,
    surface,
    device_name: deviceName,
    address,
    created_at: createdAt.toISOString(),
  }),
  personal: ['client_id', 'device_name', 'address'],
  // A password change or a lost token can end the session of a program, too.
  isAlwaysLogged: true,
});
