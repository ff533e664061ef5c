import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { type Amount, formatAmount } from '../../../common/money/amount';
import { BUDGET_SCOPES, type BudgetScope } from '../../../common/money/spending.errors';
import { OptionalField } from '../../../common/validation/fields';
import { BUDGET_WINDOWS, type BudgetWindow, type WindowBounds } from '../windows/calendar-window';
import { fromStored } from '../windows/window-amounts';
import { BUDGET_MODES, type BudgetEntity, type BudgetMode } from './budget.entity';
import type { UnpricedModel } from './unpriced-models';

/** An agent that uses the model. */
class UnpricedModelAgentDto {
  /** Id of the agent. @example 3 */
  id: number;

  /** Name of the agent. @example "General assistant" */
  name: string;
}

/** A model without a price that is the first choice of active agents. */
export class UnpricedModelDto {
  /** Name of the provider. @example "openai" */
  provider: string;

  /** The provider's name for the model. @example "gpt-5" */
  model: string;

  /** Whether a hard budget refuses the model. False with `UNPRICED_MODELS=allow`. @example true */
  refused: boolean;

  /** The active agents whose first choice is this model. */
  agents: UnpricedModelAgentDto[];

  /** Ids of the hard budgets that currently refuse the model. @example [7] */
  budget_ids: number[];
}

export function toUnpricedModelDto({ budgetIds, ...model }: UnpricedModel): UnpricedModelDto {
  return { ...model, budget_ids: budgetIds };
}

/** Filters for budgets. */
export class ListBudgetsQueryDto extends PageQueryDto {
  /** Only budgets of this scope. */
  @OptionalField()
  @IsIn(BUDGET_SCOPES)
  scope?: BudgetScope;
}

/** A user who has used up a budget. */
export class UsedUpDto {
  /** Id of the user. @example 42 */
  user_id: number;

  /** Current username. Null if the account is erased. @example "ada" */
  username: string | null;

  /** Amount that the user has spent. @example "25.01" */
  spent: string;

  /** The user's limit. @example "25" */
  limit: string;
}

/** A budget for administrators, with its current window. Amounts are decimal numbers. */
export class BudgetDto {
  /** Id of the budget. @example 3 */
  id: number;

  /** Name of the budget. Null if it has none. @example "Marketing" */
  name: string | null;

  /** The scope whose spending counts. @example "user" */
  @ApiProperty({ enum: BUDGET_SCOPES })
  scope: BudgetScope;

  @ApiProperty({
    nullable: undefined,
    oneOf: [{ type: 'integer', nullable: true }, { type: 'string' }],
    description: 'Id of the group, user, API key or agent, or the name of the plan; null for `service`.',
    example: 7,
  })
  scope_id: number | string | null;

  /** Name of the group, user, API key or agent. Null for other scopes and for deleted subjects. @example "ada" */
  scope_name: string | null;

  /** Whether the limit applies per user. @example false */
  each_user: boolean;

  /** When the budget resets. @example "month" */
  @ApiProperty({ enum: BUDGET_WINDOWS })
  window: BudgetWindow;

  /** Limit of each window. @example "25" */
  limit: string;

  /** ISO 4217 code of the currency of the amounts. @example "USD" */
  currency: string;

  /** `hard` refuses requests that may exceed the limit, `soft` only sends alerts. @example "hard" */
  @ApiProperty({ enum: BUDGET_MODES })
  mode: BudgetMode;

  /** Percentages of the limit at which alerts are sent. @example [50, 80, 100] */
  thresholds: number[];

  /** Spending counts from this time. @example "2026-03-01T00:00:00.000Z" */
  starts_at: string;

  /** Note for administrators. Null if there is none. @example "Agreed with the finance department." */
  note: string | null;

  /** Spending in the current window. With `each_user`, the total of all users. @example "20.004" */
  spent: string;

  /**
   * With `each_user`, the ten users with the highest spending who have used up their limit in the current window.
   * Otherwise an empty list.
   */
  used_up: UsedUpDto[];

  /** Amount held for running requests. @example "0.12" */
  reserved: string;

  /** Start of the current window. @example "2026-03-01T00:00:00.000Z" */
  window_start: string;

  /** Start of the next window. Null if there is none. @example "2026-04-01T00:00:00.000Z" */
  resets_at: string | null;

  /** When the budget was created. @example "2026-03-01T00:00:00.000Z" */
  created_at: string;

  /** When the budget was last changed. @example "2026-03-01T00:00:00.000Z" */
  updated_at: string;
}

/** A deleted budget. */
export class DeletedBudgetDto {
  /** Id of the deleted budget. @example 3 */
  id: number;

  /** Always true. @example true */
  deleted: true;
}

/** The spending and the holds of a window. */
export interface WindowUse {
  spent: Amount;
  reserved: Amount;
}

/** Data of a budget from other tables. */
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
