import { DEFAULT_SESSION_SECONDS } from '../sign-in/session-end';
import type { IdentityProviderEntity } from './identity-provider.entity';
import type { AcceptedTokensDto, ProviderMappingDto } from './provider-fields.dto';

/** The fields that the environment sets. */
const OF_ENVIRONMENT = ['issuer', 'client_id', 'client_secret', 'name'];

/** Where the claims are. */
export class ShownClaimPathsDto {
  /** @example "email" */
  email: string;

  /** @example "name" */
  name: string;

  /** @example "groups" */
  groups: string;
}

/** A provider of identities, without its secret. */
export class IdentityProviderDto {
  /** @example 1 */
  id: number;

  /** Its name in addresses. @example "company" */
  slug: string;

  /** What people read on the button. @example "Example Inc." */
  name: string;

  /** @example "https://login.example.com" */
  issuer: string;

  /** What the provider calls this service. @example "chat" */
  client_id: string;

  /** Whether a secret is set. @example true */
  has_client_secret: boolean;

  /** @example "openid email profile" */
  scopes: string;

  claims: ShownClaimPathsDto;

  /** @example "id_token" */
  claim_source: 'id_token' | 'userinfo';

  /** @example false */
  email_trusted: boolean;

  /** @example "off" */
  jit: 'off' | 'domains' | 'all';

  /** @example ["example.com"] */
  allowed_domains: string[];

  /** @example ["staff"] */
  required_groups: string[];

  mappings: ProviderMappingDto[];

  /** @example "refuse" */
  groups_overage: 'refuse' | 'keep_last';

  /** @example "none" */
  logout: 'none' | 'rp_initiated';

  /** @example "sub" */
  scim_match: string;

  /** Seconds. @example 604800 */
  session_max_age: number;

  accept_tokens: AcceptedTokensDto | null;

  /** @example true */
  is_active: boolean;

  /** `environment`: OIDC_* made it. @example "admin" */
  managed_by: 'admin' | 'environment';

  /** The fields that OIDC_* sets again at each start. @example [] */
  environment_fields: string[];

  /** Where the provider sends browsers back to; register it there. @example "https://chat.example.com/api/v1/auth/oidc/company/callback" */
  redirect_uri: string;

  /** @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** A provider that is gone. */
export class DeletedIdentityProviderDto {
  /** @example 1 */
  id: number;
}

/** @param redirectUri where the provider sends browsers back to */
export function toIdentityProviderDto(row: IdentityProviderEntity, redirectUri: string): IdentityProviderDto {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    issuer: row.issuer,
    client_id: row.clientId,
    has_client_secret: row.clientSecret !== null,
    scopes: row.scopes,
    claims: row.claims,
    claim_source: row.claimSource,
    email_trusted: row.emailTrusted,
    jit: row.jit,
    allowed_domains: row.allowedDomains,
    required_groups: row.requiredGroups,
    mappings: row.mappings,
    groups_overage: row.groupsOverage,
    logout: row.logout,
    scim_match: row.scimMatch,
    session_max_age: row.sessionMaxAge ?? DEFAULT_SESSION_SECONDS,
    accept_tokens: row.acceptTokens,
    is_active: row.isActive,
    managed_by: row.isFromEnvironment ? 'environment' : 'admin',
    environment_fields: row.isFromEnvironment ? OF_ENVIRONMENT : [],
    redirect_uri: redirectUri,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
