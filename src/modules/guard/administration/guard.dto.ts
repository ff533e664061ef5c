import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MaxLength } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { GUARD_FAULTS, type GuardFault } from '../checking/guard-check';
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
  RESTORE_RULES,
  type RestoreRule,
} from '../guards/guard.entity';
import type { Guard } from '../guards/guard.store';

const LONGEST_TEST = 100_000;

/** A rule of a built-in guard in the API document. */
export const RULE_SCHEMA = {
  oneOf: [
    { type: 'string', enum: [...NAMED_RULES] },
    {
      type: 'object',
      required: ['type', 'pattern'],
      properties: {
        type: { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,31}$', maxLength: 32 },
        pattern: { type: 'string', maxLength: 500 },
      },
    },
  ],
};

/** A guard, without its secrets. */
export class GuardDto {
  /** The ID. @example 1 */
  id: number;

  /** The name. @example "personal-data" */
  name: string;

  /** `http`: a service at `url`. `builtin`: the rules in `rules`. @example "http" */
  @ApiProperty({ enum: GUARD_KINDS })
  kind: GuardKind;

  /** The URL of the service; null for a built-in guard. @example "https://guard.example.com/check" */
  url: string | null;

  /**
   * The signing secret (Standard Webhooks). Only the response that creates the guard contains it, and only if the service
   * generated it; otherwise null. @example null
   */
  @ApiProperty({ type: String, nullable: true, example: null })
  secret: string | null;

  /** Names of the additional request headers. @example ["X-Api-Key"] */
  headers: string[];

  /** The texts that it checks. @example ["input", "output"] */
  @ApiProperty({ enum: GUARD_STAGES, isArray: true })
  stages: GuardStage[];

  /** What happens with a finding. @example "mask" */
  @ApiProperty({ enum: GUARD_MODES })
  mode: GuardMode;

  /** `closed`: refuses texts that it cannot check. `open`: lets them pass. @example "closed" */
  @ApiProperty({ enum: ERROR_RULES })
  on_error: ErrorRule;

  /** The time limit of a call in milliseconds. @example 2000 */
  timeout_ms: number;

  /** Groups whose members it applies to; null: all users; an empty array: no user. @example null */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, nullable: true, example: null })
  groups: number[] | null;

  /** Agents that it applies to; null: all; an empty array: none. @example null */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, nullable: true, example: null })
  agents: number[] | null;

  /** Characters of output that wait for the check of those that follow. @example 200 */
  window: number;

  /** Where masks are replaced by the original values. @example "answer" */
  @ApiProperty({ enum: RESTORE_RULES })
  restore: RestoreRule;

  /** The rules of a built-in guard. @example [] */
  @ApiProperty({ type: 'array', items: RULE_SCHEMA, example: ['email', { type: 'ORDER', pattern: 'ORD-\\d{6}' }] })
  rules: BuiltinRule[];

  /** Its place in the order of guards, from 1. @example 1 */
  position: number;

  /** Whether it checks texts. @example true */
  is_active: boolean;

  /** When it was added. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** The result of a deletion. */
export class DeletedGuardDto {
  /** The deleted guard. @example 1 */
  id: number;
}

/** A text to test a guard with. */
@ObjectExample({ text: 'My card is 4111 1111 1111 1111.', stage: 'input' })
export class GuardTestBodyDto extends LanguageBodyDto {
  /** The text. It is neither stored nor written to the audit log. @example "My card is 4111 1111 1111 1111." */
  @MaxLength(LONGEST_TEST)
  @IsString()
  @ApiProperty({ maxLength: LONGEST_TEST })
  text: string;

  /** The stage to test. @example "input" */
  @IsIn(GUARD_STAGES)
  @ApiProperty({ enum: GUARD_STAGES })
  stage: GuardStage;
}

/** A part of the text that the guard found. */
export class GuardSpanDto {
  /** The first character, from 0, in Unicode code points. @example 11 */
  start: number;

  /** The end, in Unicode code points. @example 30 */
  end: number;

  /** What was found. @example "CREDIT_CARD" */
  type: string;
}

/** The result of a test. */
export class GuardTestDto {
  /** What would happen to the text. In mode `report`: what the guard requested. @example "mask" */
  @ApiProperty({ enum: ['allow', 'mask', 'block'] })
  action: 'allow' | 'mask' | 'block';

  /** The findings. */
  spans: GuardSpanDto[];

  /** The text with masks. @example "My card is [CREDIT_CARD_1]." */
  masked: string;

  /** The reason that the guard returned; null: none. @example null */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;

  /** Duration of the check in milliseconds. @example 12 */
  duration_ms: number;

  /** Why the guard could not decide; null: it decided. @example null */
  @ApiProperty({ enum: GUARD_FAULTS, nullable: true, example: null })
  error: GuardFault | null;
}

export function toGuardDto(guard: Guard, secret: string | null = null): GuardDto {
  return {
    id: guard.id,
    name: guard.name,
    kind: guard.kind,
    url: guard.url,
    secret,
    headers: guard.headerNames,
    stages: guard.stages,
    mode: guard.mode,
    on_error: guard.onError,
    timeout_ms: guard.timeoutMs,
    groups: guard.groupIds,
    agents: guard.agentIds,
    window: guard.window,
    restore: guard.restore,
    rules: guard.rules,
    position: guard.position,
    is_active: guard.isActive,
    created_at: guard.createdAt.toISOString(),
    updated_at: guard.updatedAt.toISOString(),
  };
}
