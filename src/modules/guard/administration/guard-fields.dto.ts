import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { areHeaders, isServerUrl, MOST_HEADERS } from '../../../common/network/server-rules';
import {
  FieldRule,
  isLonger,
  MaxLength,
  NoDuplicates,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { SPAN_TYPE } from '../calling/guard-answer';
import {
  type BuiltinRule,
  ERROR_RULES,
  type ErrorRule,
  GUARD_KINDS,
  GUARD_MODES,
  GUARD_STAGES,
  type GuardKind,
  type GuardMode,
  type GuardStage,
  NAMED_RULES,
  type NamedRule,
  RESTORE_RULES,
  type RestoreRule,
} from '../guards/guard.entity';
import { RULE_SCHEMA } from './guard.dto';

const NAME = /^[a-z0-9-]{1,32}$/;

/** `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks). */
const SECRET = /^whsec_(?=.{32,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const MOST_IDS = 100;
const MOST_PATTERNS = 20;
const LONGEST_PATTERN = 500;
const SIGNATURE_HEADER = /^webhook-(?:id|timestamp|signature)$/i;

const IdList = (): PropertyDecorator =>
  applyDecorators(
    NullableField(),
    NoDuplicates(),
    Max(2_147_483_647, { each: true }),
    Min(1, { each: true }),
    IsInt({ each: true }),
    ArrayMaxSize(MOST_IDS),
    IsArray(),
    ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, maxItems: MOST_IDS, nullable: true }),
  );

const StageList = (): PropertyDecorator =>
  applyDecorators(
    NoDuplicates(),
    IsIn(GUARD_STAGES, { each: true }),
    ArrayMinSize(1),
    ArrayMaxSize(GUARD_STAGES.length),
    IsArray(),
    ApiProperty({ enum: GUARD_STAGES, isArray: true, maxItems: GUARD_STAGES.length }),
  );

/** Fields that can be set on creation and changed later. */
export class GuardFieldsDto extends LanguageBodyDto {
  /**
   * The URL of the service; not for a built-in guard. Internal hosts and plain http must be in `GUARD_ALLOWED_HOSTS`.
   * @example "https://guard.example.com/check"
   */
  @OptionalField()
  @FieldRule('invalid_url', isServerUrl)
  @MaxLength(2_000)
  @IsString()
  @ApiPropertyOptional({ maxLength: 2_000 })
  url?: string;

  /**
   * The signing secret (Standard Webhooks). If a new guard has none, the service generates one and returns it once.
   * @example "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
   */
  @OptionalField()
  @Matches(SECRET)
  @MaxLength(100)
  @IsString()
  secret?: string;

  /** Sent with each request. They replace all previous headers. Only the names are returned. */
  @OptionalField()
  @FieldRule('invalid_format', (value) => areHeaders(value) && !Object.keys(value as object).some(isOfSignature))
  @IsObject()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 4_096 },
    maxProperties: MOST_HEADERS,
    example: { 'X-Api-Key': 'a-key' },
  })
  headers?: Record<string, string>;

  /** `closed` (default): refuses texts that the guard cannot check. `open`: lets them pass. @example "closed" */
  @OptionalField()
  @IsIn(ERROR_RULES)
  on_error?: ErrorRule;

  /** The time limit of a call in milliseconds. @example 2000 */
  @OptionalField()
  @Max(30_000)
  @Min(50)
  @IsInt()
  timeout_ms?: number;

  /** Groups whose members it applies to; null: all users; an empty array: no user. @example null */
  @IdList()
  groups?: number[] | null;

  /** Agents that it applies to; null: all; an empty array: none. @example null */
  @IdList()
  agents?: number[] | null;

  /**
   * Characters of output that are held back until the next ones are checked, so a finding of up to this length is never
   * sent in parts. 0: the whole output is checked at the end. @example 200
   */
  @OptionalField()
  @Max(4_000)
  @Min(0)
  @IsInt()
  window?: number;

  /**
   * Where masks are replaced by the original values: in the reply (`answer`), also in tool arguments
   * (`answer_and_tools`), or nowhere (`none`). @example "answer"
   */
  @OptionalField()
  @IsIn(RESTORE_RULES)
  restore?: RestoreRule;

  /**
   * What a built-in guard looks for: `email`, `credit_card`, `iban`, and up to 20 regular expressions with the type of
   * their matches. @example ["email"]
   */
  @OptionalField()
  @FieldRule('invalid_format', areRules)
  @ArrayMinSize(1)
  @ArrayMaxSize(NAMED_RULES.length + MOST_PATTERNS)
  @IsArray()
  @ApiPropertyOptional({ type: 'array', items: RULE_SCHEMA, maxItems: NAMED_RULES.length + MOST_PATTERNS })
  rules?: BuiltinRule[];

  /** Whether it checks texts. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new guard. */
@ObjectExample({ name: 'personal-data', kind: 'builtin', rules: ['email', 'iban'], stages: ['input'], mode: 'mask' })
export class CreateGuardDto extends GuardFieldsDto {
  /** The name: lowercase letters, digits and hyphens. @example "personal-data" */
  @Matches(NAME)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  name: string;

  /** `http`: a service at `url`. `builtin`: the rules in `rules`. It cannot be changed. @example "http" */
  @IsIn(GUARD_KINDS)
  @ApiProperty({ enum: GUARD_KINDS })
  kind: GuardKind;

  /** The texts that it checks. @example ["input"] */
  @StageList()
  stages: GuardStage[];

  /** What happens with a finding. @example "mask" */
  @IsIn(GUARD_MODES)
  @ApiProperty({ enum: GUARD_MODES })
  mode: GuardMode;
}

/** Changes to a guard. Absent fields stay unchanged. */
@ObjectExample({ mode: 'block' })
export class UpdateGuardDto extends GuardFieldsDto {
  /** The name: lowercase letters, digits and hyphens. @example "personal-data" */
  @OptionalField()
  @Matches(NAME)
  @IsString()
  @ApiPropertyOptional({ maxLength: 32 })
  name?: string;

  /** The texts that it checks. @example ["input"] */
  @OptionalField()
  @StageList()
  @ApiPropertyOptional({ enum: GUARD_STAGES, isArray: true, maxItems: GUARD_STAGES.length })
  stages?: GuardStage[];

  /** What happens with a finding. @example "mask" */
  @OptionalField()
  @IsIn(GUARD_MODES)
  @ApiPropertyOptional({ enum: GUARD_MODES })
  mode?: GuardMode;
}

/** The order of all guards. */
@ObjectExample({ ids: [2, 1] })
export class GuardOrderDto extends LanguageBodyDto {
  /** The IDs of all guards, in their new order. @example [2, 1] */
  @NoDuplicates()
  @Max(2_147_483_647, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @ArrayMaxSize(MOST_IDS)
  @IsArray()
  @ApiProperty({ type: 'array', items: { type: 'integer' }, maxItems: MOST_IDS })
  ids: number[];
}

function isOfSignature(name: string): boolean {
  return SIGNATURE_HEADER.test(name);
}

function areRules(value: unknown): boolean {
  const rules = Array.isArray(value) ? (value as unknown[]) : [];
  const named = rules.filter((rule) => typeof rule === 'string');
  const patterns = rules.filter((rule) => typeof rule !== 'string');
  return (
    new Set(named).size === named.length &&
    named.every((rule) => NAMED_RULES.includes(rule as NamedRule)) &&
    patterns.length <= MOST_PATTERNS &&
    patterns.every(isPattern)
  );
}

function isPattern(rule: unknown): boolean {
  const { type, pattern, ...others } = (rule ?? {}) as Record<string, unknown>;
  return (
    typeof type === 'string' &&
    SPAN_TYPE.test(type) &&
    typeof pattern === 'string' &&
    pattern !== '' &&
    !isLonger(pattern, LONGEST_PATTERN) &&
    Object.keys(others).length === 0 &&
    compiles(pattern)
  );
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
