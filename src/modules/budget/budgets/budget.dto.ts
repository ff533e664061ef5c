import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { type Amount, formatAmount } from '../../../common/money/amount';
import { BUDGET_SCOPES, type BudgetScope } from '../../../common/money/spending.errors';
import { OptionalField } from '../../../common/validation/fields';
import { BUDGET_WINDOWS, type BudgetWindow, type WindowBounds } from '../windows/calendar-window';
import { fromStored } from '../windows/window-amounts';
import { BUDGET_MODES, type BudgetEntity, type BudgetMode } from './budget.entity';

/** Which budgets. */
export class ListBudgetsQueryDto extends PageQueryDto {
  /** Only those of this scope. */
  @OptionalField()
  @IsIn(BUDGET_SCOPES)
  scope?: BudgetScope;
}

/** A user who has used up a budget. */
export class UsedUpDto {
  /** The user. @example 42 */
  user_id: number;

  /** The present username; null: the account is erased. @example "ada" */
  username: string | null;

  /** What the user has spent. @example "25.01" */
  spent: string;

  /** What the user may spend. @example "25" */
  limit: string;
}

/** A budget as administrators see it, with its present window. Amounts are decimal numbers. */
export class BudgetDto {
  /** Its number. @example 3 */
  id: number;

  /** What it is called; null: nothing. @example "Marketing" */
  name: string | null;

  /** Whose spending counts. @example "user" */
  @ApiProperty({ enum: BUDGET_SCOPES })
  scope: BudgetScope;

  @ApiProperty({
    nullable: undefined,
    oneOf: [{ type: 'integer', nullable: true }, { type: 'string' }],
    description: 'Id of the group, user, API key or agent, or the name of the plan; null for `service`.',
    example: 7,
  })
  scope_id: number | string | null;

  /** What the group, user, API key or agent is called; null for others, and for what is gone. @example "ada" */
  scope_name: string | null;

  /** Whether every user has the limit alone. @example false */
  each_user: boolean;

  /** When it begins anew. @example "month" */
  @ApiProperty({ enum: BUDGET_WINDOWS })
  window: BudgetWindow;

  /** What may be spent in each window. @example "25" */
  limit: string;

  /** ISO 4217 code of the currency of the amounts. @example "USD" */
  currency: string;

  /** `hard` refuses what might pass the limit, `soft` only tells. @example "hard" */
  @ApiProperty({ enum: BUDGET_MODES })
  mode: BudgetMode;

  /** Percents that are told. @example [50, 80, 100] */
  thresholds: number[];

  /** From when on spending counts. @example "2026-03-01T00:00:00.000Z" */
  starts_at: string;

  /** For administrators; null: none. @example "Agreed with the finance department." */
  note: string | null;

  /** What was spent in the present window; of all users together where each has the limit. @example "20.004" */
  spent: string;

  /** With `each_user`: the users who have used up their limit in the present window, the ten who spent most; else empty. */
  used_up: UsedUpDto[];

  /** What running requests hold of it. @example "0.12" */
  reserved: string;

  /** When the present window began. @example "2026-03-01T00:00:00.000Z" */
  window_start: string;

  /** When the next one begins; null: never. @example "2026-04-01T00:00:00.000Z" */
  resets_at: string | null;

  /** When it was made. @example "2026-03-01T00:00:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-03-01T00:00:00.000Z" */
  updated_at: string;
}

/** A budget that was deleted. */
export class DeletedBudgetDto {
  /** Its number. @example 3 */
  id: number;

  /** Always true. @example true */
  deleted: true;
}

/** What is spent and held in a window. */
export interface WindowUse {
  spent: Amount;
  reserved: Amount;
}

/** What of a budget stands elsewhere. */
export interface BudgetSurroundings {
  scopeName: string | null;
  currency: string;
  use: WindowUse;
  usedUp: UsedUpDto[];
  bounds: WindowBounds;
}

export function toBudgetDto(
  budget: BudgetEntity,
  { scopeName, currency, use: { spent, reserved }, usedUp, bounds }: BudgetSurroundings,
): BudgetDto {
  return {
    id: budget.id,
    name: budget.name,
    scope: budget.scope,
    scope_id: budget.plan ?? budget.scopeId,
    scope_name: scopeName,
    each_user: budget.eachUser,
    window: budget.window,
    limit: formatAmount(fromStored(budget.limitUnits, budget.limitPicos)),
    currency,
    mode: budget.mode,
    thresholds: budget.thresholds,
    starts_at: budget.startsAt.toISOString(),
    note: budget.note,
    spent: formatAmount(spent),
    used_up: usedUp,
    reserved: formatAmount(reserved),
    window_start: bounds.start.toISOString(),
    resets_at: bounds.end?.toISOString() ?? null,
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}
