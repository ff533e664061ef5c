import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { BUDGET_SCOPES, type BudgetScope } from '../../../common/money/spending.errors';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';
import { MEMBERSHIP_TYPES } from '../../user/user.api';
import { BUDGET_WINDOWS, type BudgetWindow } from '../windows/calendar-window';
import { BUDGET_MODES, type BudgetMode } from './budget.entity';

/** A non-negative decimal number. */
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;

/** Most characters of an amount. */
const LONGEST_AMOUNT = 25;

/** The limit of a budget. */
const LimitField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('invalid_format', (value) => typeof value === 'string' && AMOUNT.test(value)),
    MaxLength(LONGEST_AMOUNT),
    IsString(),
    ApiProperty({ pattern: AMOUNT.source, maxLength: LONGEST_AMOUNT }),
  );

/** Thresholds in percent. */
const ThresholdsField = (): PropertyDecorator =>
  applyDecorators(
    Max(1_000, { each: true }),
    Min(1, { each: true }),
    IsInt({ each: true }),
    NoDuplicates(),
    ArrayMaxSize(20),
    IsArray(),
    ApiProperty({ type: [Number], maxItems: 20, uniqueItems: true }),
  );

/** The name of a budget. */
const NameField = (): PropertyDecorator =>
  applyDecorators(NullableField(), NotBlank(), CharacterCount(1, 100), IsString());

/** The administrators' note. */
const NoteField = (): PropertyDecorator => applyDecorators(NullableField(), CharacterCount(0, 500), IsString());

const LARGEST_ID = 2_147_483_647;

/** A new budget. */
@ObjectExample({ scope: 'service', window: 'month', limit: '250', mode: 'hard' })
export class CreateBudgetDto extends LanguageBodyDto {
  /** Name of the budget. Null for none. @example "Marketing" */
  @NameField()
  name?: string | null;

  /** The scope whose spending counts. @example "service" */
  @IsIn(BUDGET_SCOPES)
  scope: BudgetScope;

  @NullableField()
  @FieldRule('wrong_type', isScopeId)
  @ApiPropertyOptional({
    nullable: undefined,
    oneOf: [
      { type: 'integer', minimum: 1, maximum: LARGEST_ID, nullable: true },
      { type: 'string', enum: [...MEMBERSHIP_TYPES] },
    ],
    description:
      'Id of the group, user, API key or agent. For `membership_type`, the name of the plan; omit it for ' +
      '`service`.',
    example: null,
  })
  scope_id?: number | string | null;

  /** Whether the limit applies per user. Otherwise all users of the scope share it. @example false */
  @OptionalField()
  @IsBoolean()
  each_user?: boolean;

  /** When the budget resets: each day, week (from Monday) or month in UTC or TIME_ZONE, or never. @example "month" */
  @IsIn(BUDGET_WINDOWS)
  window: BudgetWindow;

  /** Limit of each window, as a decimal number. @example "250" */
  @LimitField()
  limit: string;

  /** `hard` refuses requests that may exceed the limit, `soft` only sends alerts. Default: hard. @example "hard" */
  @OptionalField()
  @IsIn(BUDGET_MODES)
  mode?: BudgetMode;

  /** Percentages of the limit at which alerts are sent. Default: 50, 80, 100. @example [50, 80, 100] */
  @OptionalField()
  @ThresholdsField()
  thresholds?: number[];

  /** Spending counts from this time, which may be in the past. Default: now. @example "2026-03-01T00:00:00.000Z" */
  @OptionalField()
  @InstantField()
  starts_at?: string;

  /** Note for administrators. @example "Agreed with the finance department." */
  @NoteField()
  note?: string | null;
}

/** Changes to a budget. Absent fields stay unchanged. */
@ObjectExample({ limit: '300' })
export class UpdateBudgetDto extends LanguageBodyDto {
  /** Name of the budget. Null for none. @example "Marketing" */
  @NameField()
  name?: string | null;

  /** Limit of each window, as a decimal number. @example "300" */
  @OptionalField()
  @LimitField()
  limit?: string;

  /** `hard` refuses requests that may exceed the limit, `soft` only sends alerts. @example "hard" */
  @OptionalField()
  @IsIn(BUDGET_MODES)
  mode?: BudgetMode;

  /** Percentages of the limit at which alerts are sent. @example [50, 80, 100] */
  @OptionalField()
  @ThresholdsField()
  thresholds?: number[];

  /** Note for administrators. @example "Agreed with the finance department." */
  @NoteField()
  note?: string | null;
}

function isScopeId(value: unknown): boolean {
  return (
    typeof value === 'string' || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST_ID)
  );
}
