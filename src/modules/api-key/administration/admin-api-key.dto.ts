import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';
import { ApiKeyDto } from '../keys/api-key.dto';
import { CreateApiKeyDto } from '../own/api-key-body.dto';

/**
 * `active`: it can be used. `suspended`: the account of its owner is closed or suspended, or the owner is banned. A
 * revoked key is listed as long as reports may refer to it.
 */
const STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const;

export type ApiKeyStatus = (typeof STATUSES)[number];

/** An API key as administrators see it. */
export class AdminApiKeyDto extends ApiKeyDto {
  /** The owner. @example 42 */
  user_id: number;

  /** The owner's current name; null once the account is closed. @example "ada" */
  username: string | null;

  /** `suspended`: while the owner's account is closed, banned or suspended. @example "active" */
  status: ApiKeyStatus;

  /** When it was revoked; null: it was not. @example "2026-09-30T12:00:00.000Z" */
  revoked_at: string | null;
}

/** A new key of a service account. */
@ObjectExample({ name: 'Directory of Example Inc.', scopes: ['chat:read'] })
export class CreateServiceKeyDto extends CreateApiKeyDto {
  /**
   * The identity provider whose directory uses the key. Required with the scope `scim`, and not allowed without it.
   * @example 2
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  identity_provider_id?: number | null;
}

const API_KEY_SORT_FIELDS = ['id', 'name', 'user_id', 'created_at', 'last_used_at', 'expires_at'] as const;
export type ApiKeySortField = (typeof API_KEY_SORT_FIELDS)[number];

/** Filters of the list of keys. */
export class ListApiKeysQueryDto extends PageOrFileQueryDto {
  /** Id of the owner. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** Only keys with this status. */
  @OptionalField()
  @IsIn(STATUSES)
  status?: ApiKeyStatus;

  /**
   * True: only live keys that `api_key_max_days` would not allow now, because they are older, have no expiry, or expire
   * later.
   */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  beyond_max_days?: boolean;

  /** A part of the name, in any case; or the first characters of the key (`ck_…`), or its last four. */
  @OptionalField()
  @IsString()
  @MaxLength(64)
  q?: string;

  @SortParameter(API_KEY_SORT_FIELDS, '-id')
  sort: Sort<ApiKeySortField> = '-id';
}

/** The columns of the list of keys as a file. */
export const ADMIN_API_KEY_FIELDS = [
  'id',
  'user_id',
  'username',
  'name',
  'prefix',
  'last_four',
  'status',
  'scopes',
  'requests_per_minute',
  'tokens_per_day',
  'identity_provider_id',
  'created_by',
  'created_at',
  'last_used_at',
  'expires_at',
  'previous_until',
  'revoked_at',
] as const satisfies readonly (keyof AdminApiKeyDto)[];

/** A revoked key. */
export class RevokedApiKeyDto {
  /** The revoked key. @example 7 */
  id: number;

  /** When it was revoked. @example "2026-09-30T12:00:00.000Z" */
  revoked_at: string;
}
