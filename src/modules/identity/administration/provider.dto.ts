import { IsBoolean } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { DEFAULT_SESSION_SECONDS } from '../sign-in/ending/session-end';
import type { AcceptedTokensDto, ProviderMappingDto } from './provider-parts.dto';

/** The fields that the environment sets. */
const OF_ENVIRONMENT = ['issuer', 'client_id', 'client_secret', 'name'];

/** Where the claims are. */
export class ShownClaimPathsDto {
  /** The claim that has the address. @example "email" */
  email: string;

  /** The claim that has the name. @example "name" */
  name: string;

  /** The claim that has the groups. @example "groups" */
  groups: string;
}

/** A provider of identities, without its secret. */
export class IdentityProviderDto {
  /** The provider. @example 1 */
  id: number;

  /** Its name in addresses. @example "company" */
  slug: string;

  /** What people read on the button. @example "Example Inc." */
  name: string;

  /** As the provider's document writes it. @example "https://login.example.com" */
  issuer: string;

  /** What the provider calls this service. @example "chat" */
  client_id: string;

  /** Whether a secret is set. @example true */
  has_client_secret: boolean;

  /** What is asked for, separated by blanks. @example "openid email profile" */
  scopes: string;

  /** Where the claims are: by name, or by a path with dots into an object. */
  claims: ShownClaimPathsDto;

  /** Where the claims are read from. @example "id_token" */
  claim_source: 'id_token' | 'userinfo';

  /** Whether its addresses count as verified where it does not say, and link accounts at once. @example false */
  email_trusted: boolean;

  /** For whom a first sign-in makes an account. @example "off" */
  jit: 'off' | 'domains' | 'all';

  /** For `jit: domains`. @example ["example.com"] */
  allowed_domains: string[];

  /** One of them suffices; asked at each sign-in. @example ["staff"] */
  required_groups: string[];

  /** What somebody gets by the groups of the provider. */
  mappings: ProviderMappingDto[];

  /** When the provider leaves the groups out because there are too many. @example "refuse" */
  groups_overage: 'refuse' | 'keep_last';

  /** `rp_initiated`: POST /auth/logout answers where the browser ends the provider's session too. @example "none" */
  logout: 'none' | 'rp_initiated';

  /** The claim that SCIM calls `externalId`. @example "sub" */
  scim_match: string;

  /** Seconds that a session lives. @example 604800 */
  session_max_age: number;

  /** Days after the last sign-in, after which API keys of people without another way to sign in stop; null: never. @example 30 */
  key_days: number | null;

  /** Which access tokens of the provider open `/openai/v1`; null: none. */
  accept_tokens: AcceptedTokensDto | null;

  /** False: nobody can sign in with it. @example true */
  is_active: boolean;

  /** `environment`: OIDC_* made it. @example "admin" */
  managed_by: 'admin' | 'environment';

  /** The fields that OIDC_* sets again at each start. @example [] */
  environment_fields: string[];

  /** Where the provider sends browsers back to; register it there. @example "https://chat.example.com/api/v1/auth/oidc/company/callback" */
  redirect_uri: string;

  /** When it was added. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** A provider that is gone. */
export class DeletedIdentityProviderDto {
  /** The deleted provider. @example 1 */
  id: number;
}

/** Whether to delete a provider that accounts use. */
export class DeleteProviderQueryDto {
  /** `true`: the identities of the provider go too, and the sessions that were begun with them end. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  force?: boolean;
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
