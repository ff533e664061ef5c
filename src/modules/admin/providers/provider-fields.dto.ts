import { ApiExtraModels, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
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
  isReservedProviderName,
  LONGEST_PROVIDER_NAME,
  PROVIDER_KINDS,
  type ProviderKind,
} from '../../../integrations/llm/port/provider-definition';

/** No colon: in fallback models a colon ends the provider's name. */
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

/** The fields of a provider that may change. */
export class ProviderFieldsDto extends LanguageBodyDto {
  /**
   * The provider's address with its version. A full address of the completions route, with a query, is used as it is
   * (Azure). Internal addresses are allowed, for your own model server. Needed for `openai-compatible`; for `anthropic`
   * null means Anthropic's own address.
   * @example "http://ollama:11434/v1"
   */
  @NullableField()
  @FieldRule('invalid_url', isProviderAddress)
  @MaxLength(2_048)
  @IsString()
  @ApiPropertyOptional({
    description:
      'Address of the provider with its version; internal addresses are allowed. A full address of the completions route, ' +
      'with a query, is used unchanged (Azure). Required for `openai-compatible`; for `anthropic`, null means the address of ' +
      'Anthropic.',
  })
  base_url?: string | null;

  /**
   * Secret key; null: none. Never shown again; another host or kind needs it again.
   * @example "sk-example-key-of-the-provider"
   */
  @NullableField()
  @Matches(/^[\x21-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  api_key?: string | null;

  /** The model that answers where an agent names none; null: agents have to name one. @example "llama3.2" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string | null;

  /** Tokens of prompt and reply together that its models take; null: LLM_CONTEXT_TOKENS. @example 32000 */
  @NullableField()
  @IsInt()
  @Min(1_000)
  @Max(100_000_000)
  context_tokens?: number | null;

  /** Whether agents that name no provider get this one, instead of the former default. @example false */
  @OptionalField()
  @IsBoolean()
  is_default?: boolean;

  /** False: it answers nobody, and agents that name it use their fallback models. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new provider. */
export class CreateProviderDto extends ProviderFieldsDto {
  /**
   * The name that agents use: a letter, then letters, digits, `.`, `_` and `-`; unique without case. @example "ollama"
   */
  @FieldRule('reserved', (value) => typeof value !== 'string' || !isReservedProviderName(value))
  @Matches(PROVIDER_NAME)
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  name: string;

  /** Its protocol. @example "openai-compatible" */
  @IsIn(PROVIDER_KINDS)
  kind: ProviderKind;
}

/** Changes of a provider; absent fields stay as they are. */
@ApiExtraModels(ProviderFieldsDto)
export class UpdateProviderDto extends ProviderFieldsDto {
  /** The name that agents use; it cannot change while they do. @example "ollama" */
  @OptionalField()
  @FieldRule('reserved', (value) => typeof value !== 'string' || !isReservedProviderName(value))
  @Matches(PROVIDER_NAME)
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  name?: string;

  /** Its protocol. @example "openai-compatible" */
  @OptionalField()
  @IsIn(PROVIDER_KINDS)
  kind?: ProviderKind;
}
