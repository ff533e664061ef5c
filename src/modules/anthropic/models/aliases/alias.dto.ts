import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../../common/validation/fields';
import { LanguageBodyDto } from '../../../../common/validation/language-body.dto';
import { ObjectList } from '../../../../common/validation/object-list';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../../integrations/llm/port/provider-definition';
import { ACCESS_LEVELS, type AccessLevel } from '../../../agent/agent.api';

const MOST_ALIASES = 500;
const MOST_GROUPS = 100;
const MOST_TOKENS = 100_000_000;

/** At most one `*`, at the end. */
const ALIAS_ID = /^[A-Za-z0-9._:/@-]{1,128}$|^[A-Za-z0-9._:/@-]{0,127}\*$/;

/** A name of a model in Anthropic's API, for an agent or for a model of a provider. */
export class AnthropicModelDto {
  /** The name that clients send. `*` at its end stands for any further characters. @example "claude-*" */
  @Matches(ALIAS_ID)
  @MaxLength(128)
  @IsString()
  id: string;

  /** Name for display. Null: the id. @example "Claude" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, 128)
  @IsString()
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Claude' })
  display_name?: string | null;

  /** The agent that answers. Null: a provider's model answers. @example null */
  @NullableField()
  @IsInt()
  @Min(1)
  @ApiPropertyOptional({ type: 'integer', nullable: true, example: null })
  agent_id?: number | null;

  /** The provider. Null: an agent answers. @example "anthropic" */
  @NullableField()
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  @ApiPropertyOptional({ type: String, nullable: true, example: 'anthropic' })
  provider?: string | null;

  /** The provider's model. `*` is replaced by the rest of the name that the client sent. @example "claude-*" */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  @ApiPropertyOptional({ type: String, nullable: true, example: 'claude-*' })
  model?: string | null;

  /** Who may use it: all users, members only, or the groups of `group_ids`. Absent: `free`. @example "free" */
  @OptionalField()
  @IsIn(ACCESS_LEVELS)
  @ApiPropertyOptional({ enum: ACCESS_LEVELS, example: 'free' })
  access_level?: AccessLevel;

  /** The groups that may use it with `access_level: groups`. @example [] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(MOST_GROUPS)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, maxItems: MOST_GROUPS, example: [] })
  group_ids?: number[];

  /** Context window in tokens, only shown to clients. Null: unknown. @example 200000 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(MOST_TOKENS)
  @ApiPropertyOptional({ type: 'integer', nullable: true, example: 200_000 })
  max_input_tokens?: number | null;

  /** Longest reply in tokens, only shown to clients. Null: unknown. @example 64000 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(MOST_TOKENS)
  @ApiPropertyOptional({ type: 'integer', nullable: true, example: 64_000 })
  max_tokens?: number | null;
}

/** All names of models in Anthropic's API. */
export class UpdateAnthropicModelsDto extends LanguageBodyDto {
  /** The names, in display order. */
  @FieldRule('duplicate', haveOwnIds)
  @ObjectList(() => AnthropicModelDto, MOST_ALIASES)
  models: AnthropicModelDto[];

  /** The version that was read. If another administrator has changed the list since, the update fails. @example 3 */
  @OptionalField()
  @IsInt()
  @Min(0)
  version?: number;
}

/** All names of models in Anthropic's API, with their version. */
export class AnthropicModelsDto {
  /** The names, in display order. */
  @ApiProperty({ type: [AnthropicModelDto] })
  models: AnthropicModelDto[];

  /** Increases with every change. @example 3 */
  version: number;
}

function haveOwnIds(models: unknown): boolean {
  const ids = Array.isArray(models) ? models.map((model: AnthropicModelDto | null) => model?.id) : [];
  return new Set(ids).size === ids.length;
}
