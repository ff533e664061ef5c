import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../../../common/security/scopes';
import type { ApiKeyEntity } from './api-key.entity';
import { KEY_SCOPES } from './key-scopes';

/** An API key, without the key itself. `documentScopes` adds the scopes to its documentation. */
export class ApiKeyDto {
  /** Id for the routes of the key. @example 7 */
  id: number;

  /** Name that the owner chose. @example "Nightly report" */
  name: string;

  /** The first characters of the key. @example "ck_4Fz9" */
  prefix: string;

  /** The last characters of the key. @example "x7Qa" */
  last_four: string;

  /** The rights of the key. @example ["chat:read", "chat:write"] */
  @ApiProperty({ type: [String] })
  scopes: Scope[];

  /** The key's own limit; null: only the owner's limit applies. @example 30 */
  requests_per_minute: number | null;

  /** The key's own limit for a UTC day; null: only the owner's quota applies. @example 20000 */
  tokens_per_day: number | null;

  /** The identity provider whose directory uses the key by SCIM; null: none. @example 2 */
  identity_provider_id: number | null;

  /** The user who created it: the owner or an administrator. @example 42 */
  created_by: number;

  /** When it was created. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When it was last used, accurate to a minute or two; null: never. @example "2026-07-31T12:30:00.000Z" */
  last_used_at: string | null;

  /** When it expires; null: never. @example "2027-07-31T12:00:00.000Z" */
  expires_at: string | null;

  /** Until when the key before the last rotation still works; null: it does not. @example "2026-08-01T12:00:00.000Z" */
  previous_until: string | null;
}

/** @param now decides whether the key before the last rotation still works */
export function toApiKeyDto(key: ApiKeyEntity, now: Date): ApiKeyDto {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    // In the order of the list, not in the order of the request.
    scopes: KEY_SCOPES.all.filter((scope) => key.scopes.includes(scope)),
    requests_per_minute: key.requestsPerMinute,
    tokens_per_day: key.tokensPerDay,
    identity_provider_id: key.identityProviderId,
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    previous_until: key.previousUntil !== null && key.previousUntil > now ? key.previousUntil.toISOString() : null,
  };
}

/** An API key with its text. */
export class ApiKeyWithTextDto extends ApiKeyDto {
  /**
   * The key, for `Authorization: Bearer <key>`. It is shown only this once.
   *
   * @example "ck_4Fz9RkTq8mWn2Lx6Vb0YcHs5Pd7Je3Gu1Ka9Zo4Ti8Bx7Qa0Wm2f"
   */
  key: string;
}
