import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, Matches } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import { PricePartsDto } from '../administration/price.dto';
import { SKIP_REASONS, type SkipReason } from './price-file';
import { PROVIDER_MAP } from './provider-map';

export const PRICE_FILE_FORMATS = ['models.dev', 'litellm'] as const;
export type PriceFileFormat = (typeof PRICE_FILE_FORMATS)[number];

/** How a file of prices is read. */
export class ImportPricesQueryDto {
  /** `models.dev`: its `api.json`; `litellm`: LiteLLM's `model_prices_and_context_window.json`. */
  @IsIn(PRICE_FILE_FORMATS)
  format: PriceFileFormat;

  /** True: only tells what would be done. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  dry_run?: boolean;

  /**
   * Names of providers: `openai:default,anthropic:claude`. Those of the file that are not named keep their names. `openai:`
   * is for whichever provider, `openai:-` leaves it out, and `*` means the others.
   */
  @OptionalField()
  @Matches(PROVIDER_MAP)
  @MaxLength(4_096)
  map?: string;

  /** How much of COST_CURRENCY one US dollar is, which the files are in; needed where it is another currency. */
  @OptionalField()
  @Matches(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/)
  @ApiPropertyOptional({ maxLength: 19 })
  rate?: string;
}

/** The prices of a model in the file and here. */
export class PriceDifferenceDto {
  /** What is done with it. */
  @ApiProperty({ enum: ['added', 'changed', 'skipped'] })
  result: 'added' | 'changed' | 'skipped';

  /** The provider as it is called here; null: whichever has the model. @example "openai" */
  provider: string | null;

  /** The model's name. @example "gpt-5" */
  model: string;

  /** The price that is valid now; null: none. */
  before: PricePartsDto | null;

  /** The price of the file; null: it is skipped. */
  after: PricePartsDto | null;

  /** Why it is skipped. */
  @ApiProperty({ enum: SKIP_REASONS, nullable: true, example: null })
  reason: SkipReason | null;

  /** Whether a price of it was rounded when it was converted with `rate`. @example false */
  rounded: boolean;
}

/** What an import did, or would do. */
export class PriceImportDto {
  /** Models that had no price of their own. @example 12 */
  added: number;

  /** Models whose price is another one now. @example 3 */
  changed: number;

  /** Models whose price is the same; they got no row. @example 800 */
  unchanged: number;

  /** Models that were left out. @example 20 */
  skipped: number;

  /** Models whose converted prices were rounded, half up to a millionth; they are among the others. @example 271 */
  rounded: number;

  /** Whether nothing was stored. @example true */
  dry_run: boolean;

  /** Each model that is new, changed or left out. */
  differences: PriceDifferenceDto[];
}
