import { IsBoolean, IsString } from 'class-validator';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { TimeField } from '../../../common/validation/times';

/** The period to recalculate, and the reason. */
export class RecomputeCostsDto extends LanguageBodyDto {
  /** First UTC day, or start of the period as an instant. @example "2026-09-01" */
  @TimeField()
  from: string;

  /** Last UTC day, inclusive, or end of the period as an instant. @example "2026-09-30" */
  @TimeField()
  to: string;

  /** The reason, for the audit log. @example "The price list of September came late." */
  @NotBlank()
  @CharacterCount(1, 500)
  @IsString()
  reason: string;

  /** True: only returns what would change. @example true */
  @OptionalField()
  @IsBoolean()
  dry_run?: boolean;
}

/** Result of a recalculation. */
export class RecomputedCostsDto {
  /** Model requests in the period. @example 1200 */
  rows: number;

  /** Cost before, of the requests that had a price. Null if none had one. @example "1.5" */
  before: string | null;

  /** Cost by the current price list. Null if no request has a price. @example "1.75" */
  after: string | null;

  /** ISO 4217 code of the currency. @example "USD" */
  currency: string;

  /** Whether this was only a preview. @example false */
  dry_run: boolean;
}
