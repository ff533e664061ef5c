import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { InstantField } from '../../../common/validation/times';
import { MEMBERSHIP_TYPES, type MembershipType, type UserType } from '../../user/user.api';

/** What administrators alone decide about an account. */
export class UserFieldsDto extends LanguageBodyDto {
  /** `admin` may use everything under /admin; `normal` is the default. @example "normal" */
  @OptionalField()
  @IsIn(['normal', 'admin'])
  user_type?: UserType;

  /**
   * The plan. A paid one without `membership_expires_at` keeps the end of a plan that is running, and else lasts as long as
   * one that is bought: a calendar month or year from now.
   *
   * @example "monthly"
   */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  membership_type?: MembershipType;

  /** End of a paid plan; null for one without end. @example "2027-01-31T12:00:00.000Z" */
  @NullableField()
  @InstantField()
  membership_expires_at?: string | null;

  /** Messages a UTC day instead of the plan's number; null for the plan's. @example 200 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  quota_messages?: number | null;

  /** Tokens a UTC day instead of the plan's number; null for the plan's. @example 500000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  quota_tokens?: number | null;

  /** For administrators only; null for none. @example "Asked for an invoice." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 10_000)
  note?: string | null;
}
