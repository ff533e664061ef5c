import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, Matches } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import { PricePartsDto } from '../administration/price.dto';
import { SKIP_REASONS, type SkipReason } from './price-file';
import { PROVIDER_MAP } from './provider-map';

export const PRICE_FILE_FORMATS = ['models.dev', 'litellm'] as const;
export type PriceFileFormat = (typeof PRICE_FILE_FORMATS)[number];

/** How to read a price file. */
export class ImportPricesQueryDto {
  /** `models.dev`: its `api.json`; `litellm`: LiteLLM's `model_prices_and_context_window.json`. */
  @IsIn(PRICE_FILE_FORMATS)
  format: PriceFileFormat;

  /** True: only reports what would change. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  dry_run?: boolean;

  /**
   * Mapping of provider names: `openai:default,anthropic:claude`. Unlisted providers keep their names. `openai:` means
   * any provider, `openai:-` excludes it, and `*` means the unlisted ones.
   */
  @OptionalField()
  @Matches(PROVIDER_MAP)
  @MaxLength(4_096)
  map?: string;

  /** Value of one US dollar, the currency of the files, in COST_CURRENCY; required if that is another currency. */
  @OptionalField()
  @Matches(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/)
  @ApiPropertyOptional({ maxLength: 19 })
  rate?: string;
}

/** The prices of a model in the file and in the service. */
export class PriceDifferenceDto {
  /** The action for this model. */
  @ApiProperty({ enum: ['added', 'changed', 'skipped'] })
  result: 'added' | 'changed' | 'skipped';

  /** The provider's name in the service; null: any provider with the model. @example "openai" */
  provider: string | null;

  /** The model's name. @example "gpt-5" */
  model: string;

  /** The current price; null: none. */
  before: PricePartsDto | null;

  /** The price in the file; null: it is skipped. */
  after: PricePartsDto | null;

  /** Why it is skipped. */
  @ApiProperty({ enum: SKIP_REASONS, nullable: true, example: null })
  reason: SkipReason | null;

  /** Whether the conversion with `rate` rounded a price. @example false */
  rounded: boolean;
}

/** The result of an import, or of a dry run. */
export class PriceImportDto {
  /** Models that had no price of their own. @example 12 */
  added: number;

  /** Models whose price has changed. @example 3 */
  changed: number;

  /** Models with the same price, which were not stored again. @example 800 */
  unchanged: number;

  /** Models that were skipped. @example 20 */
  skipped: number;

  /** Models whose converted prices were rounded half up to a millionth, included in the other counts. @example 271 */
  rounded: number;

  /** Whether nothing was stored. @example true */
  dry_run: boolean;

  /** Each model that is added, changed or skipped. */
  differences: PriceDifferenceDto[];
}
