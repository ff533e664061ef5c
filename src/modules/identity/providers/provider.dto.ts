import { IsBoolean } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import { DEFAULT_SESSION_SECONDS } from '../sign-in/ending/session-end';
import type { IdentityProviderEntity } from './identity-provider.entity';
import type { AcceptedTokensDto, ProviderMappingDto } from './provider-parts.dto';

/** The fields that the environment sets. */
const OF_ENVIRONMENT = ['issuer', 'client_id', 'client_secret', 'name'];

/** Names of the claims, or dotted paths to them. */
export class ShownClaimPathsDto {
  /** Claim with the email address. @example "email" */
  email: string;

  /** Claim with the name. @example "name" */
  name: string;

  /** Claim with the groups. @example "groups" */
  groups: string;
}

/** An identity provider, without its secret. */
export class IdentityProviderDto {
  /** Id of the provider. @example 1 */
  id: number;

  /** Identifies the provider in URLs. @example "company" */
  slug: string;

  /** Label of the sign-in button. @example "Example Inc." */
  name: string;

  /** Exactly as in the provider's discovery document. @example "https://login.example.com" */
  issuer: string;

  /** Client id of this service at the provider. @example "chat" */
  client_id: string;

  /** Whether a secret is set. @example true */
  has_client_secret: boolean;

  /** Requested scopes, separated by spaces. @example "openid email profile" */
  scopes: string;

  /** Names of the claims, or dotted paths to them. */
  claims: ShownClaimPathsDto;

  /** Source of the claims. @example "id_token" */
  claim_source: 'id_token' | 'userinfo';

  /** Whether addresses count as verified if the provider does not say so, and link accounts at once. @example false */
  email_trusted: boolean;

  /** Whether a first sign-in creates an account. @example "off" */
  jit: 'off' | 'domains' | 'all';

  /** Email domains for `jit: domains`. @example ["example.com"] */
  allowed_domains: string[];

  /** The user needs one of these groups at each sign-in. @example ["staff"] */
  required_groups: string[];

  /** Rights that users get for their groups at the provider. */
  mappings: ProviderMappingDto[];

  /** Handling of a sign-in without groups, which the provider omits if there are too many. @example "refuse" */
  groups_overage: 'refuse' | 'keep_last';

  /** `rp_initiated`: POST /auth/logout also returns the page that ends the provider's session. @example "none" */
  logout: 'none' | 'rp_initiated';

  /** The claim that matches `externalId` in SCIM. @example "sub" */
  scim_match: string;

  /** Session lifetime in seconds. @example 604800 */
  session_max_age: number;

  /**
   * API keys of users who have no other way to sign in expire this many days after the last sign-in. Null if they do
   * not expire.
   * @example 30
   */
  key_days: number | null;

  /** The provider's access tokens that `/openai/v1` accepts. Null for none. */
  accept_tokens: AcceptedTokensDto | null;

  /** Whether users can sign in with the provider. @example true */
  is_active: boolean;

  /** `environment` if the OIDC_* variables define the provider. @example "admin" */
  managed_by: 'admin' | 'environment';

  /** Fields that OIDC_* sets again at each start. @example [] */
  environment_fields: string[];

  /** Redirect URI to register at the provider. @example "https://chat.example.com/api/v1/auth/oidc/company/callback" */
  redirect_uri: string;

  /** When the provider was added. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When the provider was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** A deleted provider. */
export class DeletedIdentityProviderDto {
  /** Id of the deleted provider. @example 1 */
  id: number;
}

/** Whether to delete a provider that is in use. */
export class DeleteProviderQueryDto {
  /** `true`: also deletes the provider's identities, and ends the sessions that were started with them. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  force?: boolean;
}

/** @param redirectUri where the provider redirects browsers to */
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
    key_days: row.keyDays,
    accept_tokens: row.acceptTokens,
    is_active: row.isActive,
    managed_by: row.isFromEnvironment ? 'environment' : 'admin',
    environment_fields: row.isFromEnvironment ? OF_ENVIRONMENT : [],
    redirect_uri: redirectUri,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
