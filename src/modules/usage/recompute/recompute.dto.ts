import { IsBoolean, IsString } from 'class-validator';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { TimeField } from '../../../common/validation/times';

/** Which costs to reckon anew, and why. */
export class RecomputeCostsDto extends LanguageBodyDto {
  /** First UTC day, or the instant from which on. @example "2026-09-01" */
  @TimeField()
  from: string;

  /** Last UTC day, included, or the last instant. @example "2026-09-30" */
  @TimeField()
  to: string;

  /** Why; the audit log keeps it. @example "The price list of September came late." */
  @NotBlank()
  @CharacterCount(1, 500)
  @IsString()
  reason: string;

  /** True: only tells what would be done. @example true */
  @OptionalField()
  @IsBoolean()
  dry_run?: boolean;
}

/** What was reckoned anew. */
export class RecomputedCostsDto {
  /** Requests to models of the period. @example 1200 */
  rows: number;

  /** What they cost before, of those that had a price; null: none had. @example "1.5" */
  before: string | null;

  /** What they cost by the prices that are known now; null: none has one. @example "1.75" */
  after: string | null;

  /** ISO 4217 code of the currency. @example "USD" */
  currency: string;

  /** Whether nothing was changed. @example false */
  dry_run: boolean;
}
