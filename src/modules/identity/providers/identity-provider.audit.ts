import { defineAudit } from '../../../common/audit/audit-definition';
import type { IdentityProviderEntity } from './identity-provider.entity';

/** The audit log's view of an identity provider: everything except its secret. */
export const identityProviderAudit = defineAudit<
  IdentityProviderEntity & { isSecretNew?: boolean; hasEndedSessions?: boolean }
>({
  subject: 'identity_provider',
  state: (provider) => ({
    slug: provider.slug,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    scopes: provider.scopes,
    claims: provider.claims,
    claim_source: provider.claimSource,
    email_trusted: provider.emailTrusted,
    jit: provider.jit,
    allowed_domains: provider.allowedDomains,
    required_groups: provider.requiredGroups,
    mappings: provider.mappings,
    groups_overage: provider.groupsOverage,
    logout: provider.logout,
    scim_match: provider.scimMatch,
    session_max_age: provider.sessionMaxAge,
    key_days: provider.keyDays,
    accepted: provider.acceptTokens,
    is_active: provider.isActive,
    ...(provider.hasEndedSessions && { sessions: 'ended' }),
    ...(provider.isSecretNew && { client_secret: 'changed' }),
  }),
  personal: [],
});
