import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import type { UserType } from '../../../common/security/principal';
import { CharacterCount, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { InstantField } from '../../../common/validation/times';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';

/** The fields of an account that only administrators set. */
export class UserFieldsDto extends LanguageBodyDto {
  /**
   * `admin` may use everything under /admin; `normal` is the default; `service` is an account for programs, which has no
   * login and calls with API keys. An account never becomes one of the other kind.
   *
   * @example "normal"
   */
  @OptionalField()
  @IsIn(['normal', 'admin', 'service'])
  user_type?: UserType;

  /**
   * The plan. Without `membership_expires_at` a paid one keeps the end of the running plan; if none is running, it ends
   * in a calendar month or year, like a bought one.
   *
   * @example "monthly"
   */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  membership_type?: MembershipType;

  /** End of a paid plan; null: no end. @example "2027-01-31T12:00:00.000Z" */
  @NullableField()
  @InstantField()
  membership_expires_at?: string | null;

  /** Messages per UTC day instead of the plan's; null: the plan's. @example 200 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  quota_messages?: number | null;

  /** Tokens per UTC day instead of the plan's; null: the plan's. @example 500000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_tokens?: number | null;

  /** Bytes of files and items instead of the plan's; null: the plan's. @example 1073741824 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_storage?: number | null;

  /** Whether a password or a code of ours opens the account; false for those that a provider made. @example true */
  @OptionalField()
  @IsBoolean()
  local_login?: boolean;

  /** For administrators only; null: none. @example "Asked for an invoice." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 10_000)
  note?: string | null;
}
