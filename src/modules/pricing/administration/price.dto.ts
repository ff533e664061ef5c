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

/** At most 12 digits before the point and 6 behind it. */
const RATE = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;

const LONGEST_RATE = 19;

/** A price as a decimal text: at most 12 digits before the point, and 6 behind it. */
const RateField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('wrong_type', (value) => typeof value === 'string'),
    FieldRule('invalid_format', (value) => typeof value !== 'string' || RATE.test(value)),
    ApiProperty({ maxLength: LONGEST_RATE, pattern: RATE.source }),
  );

/** The same; null or absent: see its description. */
const NullableRateField = (): PropertyDecorator => applyDecorators(NullableField(), RateField());

/** Tiers of one price. */
const MOST_TIERS = 16;

/** What changes for long prompts; what is absent or null is as without it. */
export class PriceTierDto {
  /** Tokens of the whole prompt, cached ones included, from which on the tier holds for the whole request. @example 200001 */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  min_context: number;

  /** A million tokens of the prompt. @example "2.5" */
  @NullableRateField()
  input?: string | null;

  /** A million tokens of the prompt that the provider had cached. @example "0.25" */
  @NullableRateField()
  cached_input?: string | null;

  /** A million tokens of the prompt that the provider wrote into its cache. @example "1.5625" */
  @NullableRateField()
  cache_write?: string | null;

  /** A million tokens of the reply. @example "15" */
  @NullableRateField()
  output?: string | null;

  /** A million tokens that the model thought with. @example "12" */
  @NullableRateField()
  reasoning?: string | null;

  /** Each request. @example "0.001" */
  @NullableRateField()
  per_request?: string | null;

  /** Each image of the prompt. @example "0.0048" */
  @NullableRateField()
  per_image?: string | null;
}

/** A new price. Prices are decimal texts in COST_CURRENCY: at most 12 digits before the point, and 6 behind it. */
export class CreatePriceDto extends LanguageBodyDto {
  /** The provider's name, byte for byte; null: whichever has the model. @example "openai" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  provider?: string | null;

  /** The model's name, byte for byte; or the beginning of names, with `*` behind it. @example "gpt-5*" */
  @FieldRule('invalid_format', (value) => typeof value !== 'string' || !value.slice(0, -1).includes('*'))
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model: string;

  /** From when on; absent: from now. A time that is over changes nothing that was reckoned. @example "2026-10-01T00:00:00Z" */
  @NullableField()
  @InstantField()
  valid_from?: string | null;

  /** A million tokens of the prompt. @example "1.25" */
  @RateField()
  input: string;

  /** A million tokens of the prompt that the provider had cached; null: as `input`. @example "0.125" */
  @NullableRateField()
  cached_input?: string | null;

  /** A million tokens of the prompt that the provider wrote into its cache; null: as `input`. @example "1.5625" */
  @NullableRateField()
  cache_write?: string | null;

  /** A million tokens of the reply. @example "10" */
  @RateField()
  output: string;

  /** A million tokens that the model thought with; null: as `output`. @example "12" */
  @NullableRateField()
  reasoning?: string | null;

  /** Each request that the provider answered; null: nothing. @example "0.001" */
  @NullableRateField()
  per_request?: string | null;

  /** Each image of the prompt; null: nothing. @example "0.0048" */
  @NullableRateField()
  per_image?: string | null;

  /** Other prices for long prompts, each `min_context` once; absent: none. */
  @NullableField()
  @FieldRule('duplicate', haveOwnLengths)
  @ObjectList(() => PriceTierDto, MOST_TIERS)
  tiers?: PriceTierDto[] | null;
}

function haveOwnLengths(tiers: unknown): boolean {
  const lengths = Array.isArray(tiers) ? tiers.map((tier: PriceTierDto | null) => tier?.min_context) : [];
  return new Set(lengths).size === lengths.length;
}

/** The parts of a price: decimal texts for a million tokens, those of requests and images for each. */
export class PricePartsDto {
  /** The prompt. @example "1.25" */
  input: string;

  /** What of it the provider had cached; null: as `input`. @example "0.125" */
  cached_input: string | null;

  /** What of it the provider wrote into its cache; null: as `input`. @example "1.5625" */
  cache_write: string | null;

  /** The reply. @example "10" */
  output: string;

  /** What of it was reasoning; null: as `output`. @example "12" */
  reasoning: string | null;

  /** Each request; null: nothing. @example "0.001" */
  per_request: string | null;

  /** Each image of the prompt; null: nothing. @example "0.0048" */
  per_image: string | null;

  /** Other prices for long prompts. */
  tiers: PriceTierDto[];
}

/** The price of a request. */
export class UsedPriceDto extends PricePartsDto {
  /** The price. @example 7 */
  id: number;
}

/** A price. */
@ApiExtraModels(PricePartsDto)
export class PriceDto extends PricePartsDto {
  /** The price. @example 7 */
  id: number;

  /** Null: whichever provider has the model. @example "openai" */
  provider: string | null;

  /** The model's name, or the beginning of names with `*` behind it. @example "gpt-5*" */
  model: string;

  /** From when on. @example "2026-10-01T00:00:00.000Z" */
  valid_from: string;

  /** COST_CURRENCY. @example "USD" */
  currency: string;

  /** Whether a request began with it: then it cannot be deleted. @example false */
  in_use: boolean;

  /** When it was added. @example "2026-09-30T12:00:00.000Z" */
  created_at: string;
}

const SORT_FIELDS = ['id', 'provider', 'model', 'valid_from', 'created_at'] as const;
export type PriceSortField = (typeof SORT_FIELDS)[number];

/** Which prices. */
export class ListPricesQueryDto extends PageQueryDto {
  /** Only those of the provider with this name. */
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

/** A price that was deleted. */
export class DeletedPriceDto {
  /** The price. @example 7 */
  id: number;
}

export function toPriceParts(price: PriceEntity): PricePartsDto {
  return {
    input: price.input,
    cached_input: price.cachedInput,
    cache_write: price.cacheWrite,
    output: price.output,
    reasoning: price.reasoning,
    per_request: price.perRequest,
    per_image: price.perImage,
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
