import { IsIn, IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { PaidPlan, PLAN_MONTHS } from '../account/plans';

/** The plan to add (specification §4.3). */
export class UpgradeDto extends LanguageBodyDto {
  /**
   * `monthly` adds a calendar month, `yearly` a year, to the end of the current plan or from now.
   * @example "monthly"
   */
  @IsString()
  @IsIn(Object.keys(PLAN_MONTHS))
  plan_id: PaidPlan;

  /**
   * Proof of payment, only needed with UPGRADE_MODE=verified: a JWT signed by the payment backend (HS256) with the
   * claims `aud` "membership-upgrade", `sub` the user’s id as a string, `plan` the plan_id, `jti`, `exp`. Each counts
   * once, and sending it again changes nothing.
   *
   * @example "eyJhbGciOi…"
   */
  @OptionalField()
  @IsString()
  @MaxLength(4096)
  payment_token?: string;
}
