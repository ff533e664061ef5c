import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { addressFault } from '../../../config/address';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import {
  ANTHROPIC_FEATURES,
  type AnthropicFeature,
  isReservedProviderName,
  LONGEST_PROVIDER_NAME,
  PROVIDER_KINDS,
  type ProviderKind,
} from '../../../integrations/llm/port/provider-definition';

/** No colons, because in fallback models a colon ends the provider's name. */
const PROVIDER_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

const WEB_ADDRESS = {
  schemes: ['http', 'https'],
  description: 'an http or https address',
  takesPassword: false,
  path: /^\//,
  parametersFault: () => null,
};

const isProviderAddress = (value: unknown): boolean =>
  typeof value === 'string' && addressFault(value, WEB_ADDRESS) === null;

/** The fields of a provider that can change. */
export class ProviderFieldsDto extends LanguageBodyDto {
  /**
   * Address of the provider, including its version; internal addresses are allowed. The full address of a completions
   * route, with a query, is used unchanged (Azure). Required for `openai-compatible`; for `anthropic`, null means
   * Anthropic's own address.
   * @example "http://ollama:11434/v1"
   */
  @NullableField()
  @FieldRule('invalid_url', isProviderAddress)
  @MaxLength(2_048)
  @IsString()
  base_url?: string | null;

  /**
   * API key of the provider, which is never returned; null for none. Required again if the host or protocol changes.
   * @example "sk-example-key-of-the-provider"
   */
  @NullableField()
  @Matches(/^[\x21-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  api_key?: string | null;

  /** Default model for agents that do not name one. If null, they must name one. @example "llama3.2" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string | null;

  /**
   * Context window of the models in tokens, for prompt and reply together. Null for LLM_CONTEXT_TOKENS.
   * @example 32000
   */
  @NullableField()
  @IsInt()
  @Min(1_000)
  @Max(100_000_000)
  context_tokens?: number | null;

  /**
   * Features of Anthropic's API that callers may use although the provider keeps their state for the whole organization.
   * Null: none.
   */
  @NullableField()
  @ApiProperty({ enum: ANTHROPIC_FEATURES, isArray: true, maxItems: ANTHROPIC_FEATURES.length, example: ['files'] })
  @ArrayUnique()
  @ArrayMaxSize(ANTHROPIC_FEATURES.length)
  @IsIn(ANTHROPIC_FEATURES, { each: true })
  @IsArray()
  anthropic_features?: AnthropicFeature[] | null;

  /** Whether agents without a provider use this one. It replaces the previous default. @example false */
  @OptionalField()
  @IsBoolean()
  is_default?: boolean;

  /** Whether the provider may be called. If false, agents that name it use their fallback models. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new provider. */
export class CreateProviderDto extends ProviderFieldsDto {
  /**
   * Name of the provider in agents: a letter, then letters, digits, `.`, `_` and `-`. Unique regardless of case.
   * @example "ollama"
   */
  @FieldRule('reserved', (value) => typeof value !== 'string' || !isReservedProviderName(value))
  @Matches(PROVIDER_NAME)
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  name: string;

  /** Protocol of the provider. @example "openai-compatible" */
  @IsIn(PROVIDER_KINDS)
  kind: ProviderKind;
}

/** Changes to a provider. Absent fields stay unchanged. */
@ApiExtraModels(ProviderFieldsDto)
export class UpdateProviderDto extends ProviderFieldsDto {
  /** Name of the provider in agents. It cannot change while agents use it. @example "ollama" */
  @OptionalField()
  @FieldRule('reserved', (value) => typeof value !== 'string' || !isReservedProviderName(value))
  @Matches(PROVIDER_NAME)
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  name?: string;

  /** Protocol of the provider. @example "openai-compatible" */
  @OptionalField()
  @IsIn(PROVIDER_KINDS)
  kind?: ProviderKind;
}
