import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectList } from '../../../common/validation/object-list';
import { InstantField } from '../../../common/validation/times';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import type { PriceEntity } from '../price.entity';
import { splitTariff } from '../rules/tariff';

/** At most 12 digits before the point and 6 after it. */
const RATE = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;

const LONGEST_RATE = 19;

/** A price as a decimal text: at most 12 digits before the point, and 6 after it. */
const RateField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('wrong_type', (value) => typeof value === 'string'),
    FieldRule('invalid_format', (value) => typeof value !== 'string' || RATE.test(value)),
    ApiProperty({ maxLength: LONGEST_RATE, pattern: RATE.source }),
  );

/** A price, or null or absent with the meaning in its description. */
const NullableRateField = (): PropertyDecorator => applyDecorators(NullableField(), RateField());

/** Most tiers of one price. */
const MOST_TIERS = 16;

/** Different rates for long prompts. Absent or null rates are those of the price itself. */
export class PriceTierDto {
  /** The tier applies to the whole request from this number of prompt tokens, including cached ones. @example 200001 */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  min_context: number;

  /** Price of a million prompt tokens. @example "2.5" */
  @NullableRateField()
  input?: string | null;

  /** Price of a million prompt tokens that the provider had cached. @example "0.25" */
  @NullableRateField()
  cached_input?: string | null;

  /** Price of a million prompt tokens that the provider wrote into its cache. @example "1.5625" */
  @NullableRateField()
  cache_write?: string | null;

  /** Price of a million prompt tokens that the provider wrote into its cache for an hour. @example "2.5" */
  @NullableRateField()
  cache_write_1h?: string | null;

  /** Price of a million reply tokens. @example "15" */
  @NullableRateField()
  output?: string | null;

  /** Price of a million reasoning tokens. @example "12" */
  @NullableRateField()
  reasoning?: string | null;

  /** Price of each request. @example "0.001" */
  @NullableRateField()
  per_request?: string | null;

  /** Price of each image in the prompt. @example "0.0048" */
  @NullableRateField()
  per_image?: string | null;

  /** Price of each web search that the provider made. @example "0.01" */
  @NullableRateField()
  per_web_search?: string | null;
}

/** A new price. Prices are decimal texts in COST_CURRENCY: at most 12 digits before the point, and 6 after it. */
export class CreatePriceDto extends LanguageBodyDto {
  /** The provider's name, case-sensitive; null: any provider with the model. @example "openai" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  provider?: string | null;

  /**
   * The model's name, case-sensitive, or a prefix followed by `*`. A tariff may follow: `@fast`, `@priority`, `@batch`,
   * `@geo-us`.
   *
   * @example "gpt-5*"
   */
  @FieldRule(
    'invalid_format',
    (value) => typeof value !== 'string' || !splitTariff(value).model.slice(0, -1).includes('*'),
  )
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model: string;

  /** Start date; absent: now. A date in the past does not change calculated costs. @example "2026-10-01T00:00:00Z" */
  @NullableField()
  @InstantField()
  valid_from?: string | null;

  /** Price of a million prompt tokens. @example "1.25" */
  @RateField()
  input: string;

  /** Price of a million prompt tokens that the provider had cached; null: same as `input`. @example "0.125" */
  @NullableRateField()
  cached_input?: string | null;

  /**
   * Price of a million prompt tokens that the provider wrote into its cache; null: same as `input`.
   *
   * @example "1.5625"
   */
  @NullableRateField()
  cache_write?: string | null;

  /**
   * Price of a million prompt tokens that the provider wrote into its cache for an hour; null: same as `cache_write`.
   *
   * @example "2.5"
   */
  @NullableRateField()
  cache_write_1h?: string | null;

  /** Price of a million reply tokens. @example "10" */
  @RateField()
  output: string;

  /** Price of a million reasoning tokens; null: same as `output`. @example "12" */
  @NullableRateField()
  reasoning?: string | null;

  /** Price of each request that the provider answered; null: free. @example "0.001" */
  @NullableRateField()
  per_request?: string | null;

  /** Price of each image in the prompt; null: free. @example "0.0048" */
  @NullableRateField()
  per_image?: string | null;

  /** Price of each web search that the provider made; null: free. @example "0.01" */
  @NullableRateField()
  per_web_search?: string | null;

  /** Different rates for long prompts, with distinct values of `min_context`; absent: none. */
  @NullableField()
  @FieldRule('duplicate', haveOwnLengths)
  @ObjectList(() => PriceTierDto, MOST_TIERS)
  tiers?: PriceTierDto[] | null;
}

function haveOwnLengths(tiers: unknown): boolean {
  const lengths = Array.isArray(tiers) ? tiers.map((tier: PriceTierDto | null) => tier?.min_context) : [];
  return new Set(lengths).size === lengths.length;
}

/** The rates of a price as decimal texts: for a million tokens, and for each request and image. */
export class PricePartsDto {
  /** Prompt tokens. @example "1.25" */
  input: string;

  /** Prompt tokens that the provider had cached; null: same as `input`. @example "0.125" */
  cached_input: string | null;

  /** Prompt tokens that the provider wrote into its cache; null: same as `input`. @example "1.5625" */
  cache_write: string | null;

  /** Those that it keeps for an hour; null: same as `cache_write`. @example "2.5" */
  cache_write_1h: string | null;

  /** Reply tokens. @example "10" */
  output: string;

  /** Reasoning tokens; null: same as `output`. @example "12" */
  reasoning: string | null;

  /** Each request; null: free. @example "0.001" */
  per_request: string | null;

  /** Each image in the prompt; null: free. @example "0.0048" */
  per_image: string | null;

  /** Each web search that the provider made; null: free. @example "0.01" */
  per_web_search: string | null;

  /** Different rates for long prompts. */
  tiers: PriceTierDto[];
}

/** The price that was applied to a request. */
export class UsedPriceDto extends PricePartsDto {
  /** Id of the price. @example 7 */
  id: number;
}

/** A price. */
@ApiExtraModels(PricePartsDto)
export class PriceDto extends PricePartsDto {
  /** Id of the price. @example 7 */
  id: number;

  /** Name of the provider; null: any provider with the model. @example "openai" */
  provider: string | null;

  /** The model's name, or a prefix followed by `*`. @example "gpt-5*" */
  model: string;

  /** Start date. @example "2026-10-01T00:00:00.000Z" */
  valid_from: string;

  /** Currency, from COST_CURRENCY. @example "USD" */
  currency: string;

  /** Whether requests have used it, so that it cannot be deleted. @example false */
  in_use: boolean;

  /** When it was added. @example "2026-09-30T12:00:00.000Z" */
  created_at: string;
}

const SORT_FIELDS = ['id', 'provider', 'model', 'valid_from', 'created_at'] as const;
export type PriceSortField = (typeof SORT_FIELDS)[number];

/** Filters of the price list. */
export class ListPricesQueryDto extends PageQueryDto {
  /** Only prices of the provider with this name. */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_PROVIDER_NAME)
  provider?: string;

  /** A part of the model's name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_MODEL_NAME)
  q?: string;

  @SortParameter(SORT_FIELDS, 'model')
  sort: Sort<PriceSortField> = 'model';
}

/** A deleted price. */
export class DeletedPriceDto {
  /** Id of the price. @example 7 */
  id: number;
}

export function toPriceParts(price: PriceEntity): PricePartsDto {
  return {
    input: price.input,
    cached_input: price.cachedInput,
    cache_write: price.cacheWrite,
    cache_write_1h: price.cacheWrite1h,
    output: price.output,
    reasoning: price.reasoning,
    per_request: price.perRequest,
    per_image: price.perImage,
    per_web_search: price.perWebSearch,
    tiers: price.tiers,
  };
}

export function toPriceDto(price: PriceEntity, currency: string): PriceDto {
  return {
    id: price.id,
    provider: price.provider,
    model: price.model,
    valid_from: price.validFrom.toISOString(),
    ...toPriceParts(price),
    currency,
    in_use: price.isUsed,
    created_at: price.createdAt.toISOString(),
  };
}
