import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { ObjectList } from '../../../common/validation/object-list';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { ACCESS_LEVELS, type AccessLevel, AGENT_STATUSES, type AgentStatus } from '../catalogue/agent.entity';
import { OUTSIDE_READS, type OutsideReads } from '../catalogue/agent-behaviour';
import { AgentToolDto } from './agent-tool.dto';
import { ModelParametersDto } from './model-parameters.dto';

/** A non-negative decimal number. */
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;

/** The settings of an agent, without its name. Absent fields stay unchanged or get their defaults. */
export class AgentSettingsDto {
  /** Up to 1,000 characters. @example "Answers questions and helps with everyday tasks." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 1_000)
  description?: string;

  /** Path of its image; null: the default one. @example /static/agents/default.svg */
  @NullableField()
  @IsString()
  @CharacterCount(2, 255)
  @Matches(/^\/(?![/\\])[^\s\\<>"]*$/)
  avatar?: string | null;

  /** For filtering; up to 64 characters. @example "general" */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 64)
  category?: string;

  /** Up to 20 distinct tags of 1 to 32 characters. @example ["everyday"] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(20)
  @NoDuplicates()
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(32, { each: true })
  tags?: string[];

  /** Shown in an empty chat; up to 2,000 characters. @example "Hello! What can I do for you?" */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 2_000)
  opening_message?: string;

  /** First messages to offer, up to 10 of 1 to 300 characters. @example ["Explain how vaccines work."] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(10)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(300, { each: true })
  suggested_questions?: string[];

  /**
   * Who may chat with it: all users (`free`), members only (`paid`), or the groups of `group_ids` (`groups`); it is
   * hidden from other users.
   *
   * @example "free"
   */
  @OptionalField()
  @IsIn(ACCESS_LEVELS)
  access_level?: AccessLevel;

  /**
   * The groups that may use it with `access_level: groups`, at most 100; an empty list: only administrators see it.
   * @example []
   */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(100)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  group_ids?: number[];

  /** Makes it the default agent of chats, instead of the former one. @example false */
  @OptionalField()
  @IsBoolean()
  is_default?: boolean;

  /** Only `active` agents answer; drafts are hidden from users. @example "active" */
  @OptionalField()
  @IsIn(AGENT_STATUSES)
  status?: AgentStatus;

  /** Short for `status`: true is `active`, false `disabled`; `status` takes precedence. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  // The compiler plugin drops fields whose lower limit is negative and has separators.
  @ApiPropertyOptional({
    type: 'integer',
    minimum: -1_000_000,
    maximum: 1_000_000,
    description: 'Position in lists, ascending.',
    example: 10,
  })
  @OptionalField()
  @IsInt()
  @Min(-1_000_000)
  @Max(1_000_000)
  sort_order?: number;

  /** Instructions that are hidden from users; up to 20,000 characters. @example "You are a friendly cook." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 20_000)
  system_prompt?: string;

  /** Name of a model provider from GET /admin/providers; null: the default one. @example "demo" */
  @NullableField()
  @IsString()
  @CharacterCount(1, 64)
  provider?: string | null;

  /** Name of a model; null: the provider's default. @example "gpt-4o-mini" */
  @NullableField()
  @IsString()
  @NotBlank()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  model?: string | null;

  /** Sampling settings. They replace all earlier ones. */
  @OptionalField()
  @IsObject()
  @ValidateNested()
  @Type(() => ModelParametersDto)
  model_params?: ModelParametersDto;

  /** Up to 3, tried in this order if the model fails: `model` or `provider:model`. @example ["gpt-4o-mini"] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(3)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(LONGEST_MODEL_NAME, { each: true })
  fallback_models?: string[];

  /** Most messages to send, newest first; null: all that fit. @example 40 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(10_000)
  context_max_messages?: number | null;

  /** Most tokens of a prompt; null: the service's own limit. @example 16000 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(10_000_000)
  context_max_tokens?: number | null;

  /** Time limit of a whole reply in seconds; null: the configured limit. @example 120 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(86_400)
  timeout_seconds?: number | null;

  /** The tools that it may call, at most 128. They replace all earlier ones. @example [] */
  @OptionalField()
  @FieldRule('duplicate', namesOnce)
  @ObjectList(() => AgentToolDto, 128)
  tools?: AgentToolDto[];

  /**
   * The collections that it searches, at most 20, with the rights of its user. They replace all earlier ones.
   * @example [3]
   */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(20)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  knowledge?: number[];

  /** Most rounds of one reply; null: 16. @example 16 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(64)
  max_rounds?: number | null;

  /** Most tool calls of one reply; null: 64. @example 64 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(1_000)
  max_calls?: number | null;

  /** Cost of a reply at which no further round starts, as a decimal number; null: no limit. @example "0.5" */
  @NullableField()
  @FieldRule('invalid_format', (value) => typeof value === 'string' && AMOUNT.test(value))
  @MaxLength(25)
  @IsString()
  @ApiPropertyOptional({ pattern: AMOUNT.source, maxLength: 25, nullable: true, type: String })
  max_cost_per_run?: string | null;

  /**
   * If the prompt contains untrusted content, whether the first read-only call to another external server requires
   * approval (`ask`, the default for new agents) or not (`auto`).
   *
   * @example "ask"
   */
  @OptionalField()
  @IsIn(OUTSIDE_READS)
  outside_reads?: OutsideReads;
}

function namesOnce(tools: unknown): boolean {
  const names = Array.isArray(tools) ? tools.map((tool: Partial<AgentToolDto> | null) => tool?.name) : [];
  return new Set(names).size === names.length;
}
