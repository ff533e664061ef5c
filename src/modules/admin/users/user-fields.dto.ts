import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import type { UserType } from '../../../common/security/principal';
import { CharacterCount, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { InstantField } from '../../../common/validation/times';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';

/** The account fields that only administrators can set. */
export class UserFieldsDto extends LanguageBodyDto {
  /**
   * `normal` is the default, and `admin` may use everything under /admin. `service` is an account for programs, which
   * has no login and uses API keys. A person's account cannot become a service account, or the reverse.
   *
   * @example "normal"
   */
  @OptionalField()
  @IsIn(['normal', 'admin', 'service'])
  user_type?: UserType;

  /**
   * The plan. Without `membership_expires_at`, a paid plan keeps the end of the current plan. If there is none, it ends
   * in a calendar month or year, like a purchased plan.
   *
   * @example "monthly"
   */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  membership_type?: MembershipType;

  /** End of a paid plan. Null for no end. @example "2027-01-31T12:00:00.000Z" */
  @NullableField()
  @InstantField()
  membership_expires_at?: string | null;

  /** Messages per UTC day. Null for the plan's limit. @example 200 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  quota_messages?: number | null;

  /** Tokens per UTC day. Null for the plan's limit. @example 500000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_tokens?: number | null;

  /** Bytes of files and items. Null for the plan's limit. @example 1073741824 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_storage?: number | null;

  /** Tokens that are embedded per UTC day. Null for the plan's limit. @example 2000000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_embedding_tokens?: number | null;

  /**
   * Whether the user can sign in with a password or code. False for accounts that an identity provider created.
   * @example true
   */
  @OptionalField()
  @IsBoolean()
  local_login?: boolean;

  /** Note for administrators only. Null for none. @example "Asked for an invoice." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 10_000)
  note?: string | null;
}
