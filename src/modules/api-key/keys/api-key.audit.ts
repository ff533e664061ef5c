import { defineAudit } from '../../../common/audit/audit-definition';
import type { ApiKeyEntity } from './api-key.entity';

/** The audit log's state of an API key. The last characters distinguish the secrets before and after a rotation. */
export const apiKeyAudit = defineAudit<ApiKeyEntity>({
  subject: 'api_key',
  state: (key) => ({
    name: key.name,
    last_four: key.lastFour,
    scopes: key.scopes,
    requests_per_minute: key.requestsPerMinute,
    tokens_per_day: key.tokensPerDay,
    identity_provider_id: key.identityProviderId,
    created_by: key.createdBy,
    expires_at: key.expiresAt?.toISOString() ?? null,
    previous_until: key.previousUntil?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }),
  personal: ['name'],
});
