import { IsIn, IsInt, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { ApiKeyDto } from '../keys/api-key.dto';

/** `active`: it may be used. A revoked key is shown as long as reports may name it. */
const STATUSES = ['active', 'expired', 'revoked'] as const;

export type ApiKeyStatus = (typeof STATUSES)[number];

/** An API key as administrators see it. */
export class AdminApiKeyDto extends ApiKeyDto {
  /** The owner. @example 42 */
  user_id: number;

  /** The owner's present name; null once the account is closed. @example "ada" */
  username: string | null;

  /** @example "active" */
  status: ApiKeyStatus;

  /** Null: it was not. @example "2026-09-30T12:00:00.000Z" */
  revoked_at: string | null;
}

/** Which keys. */
export class ListApiKeysQueryDto extends PageQueryDto {
  /** Id of the owner. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** Only these. */
  @OptionalField()
  @IsIn(STATUSES)
  status?: ApiKeyStatus;
}

/** A key that was revoked. */
export class RevokedApiKeyDto {
  /** @example 7 */
  id: number;

  /** @example "2026-09-30T12:00:00.000Z" */
  revoked_at: string;
}
