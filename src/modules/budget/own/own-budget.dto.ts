import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { formatAmount } from '../../../common/money/amount';
import { BUDGET_SCOPES, type BudgetScope } from '../../../common/money/spending.errors';
import type { BudgetEntity } from '../budgets/budget.entity';
import { BUDGET_WINDOWS, type BudgetWindow, type WindowBounds } from '../windows/calendar-window';
import type { WindowState } from '../windows/window-amounts';

/**
 * A budget that the caller's requests are charged to. Amounts are decimal numbers. Only the caller's own budgets show
 * them.
 */
export class OwnBudgetDto {
  /** The scope whose spending counts. @example "user" */
  @ApiProperty({ enum: BUDGET_SCOPES })
  scope: BudgetScope;

  /** Length of a window. @example "month" */
  @ApiProperty({ enum: BUDGET_WINDOWS })
  window: BudgetWindow;

  /** When the budget resets. Null if it never does. @example "2026-04-01T00:00:00.000Z" */
  resets_at: string | null;

  /** Limit of the window. Absent for shared budgets. @example "25" */
  @ApiPropertyOptional()
  limit?: string;

  /** Amount spent. @example "20.004" */
  @ApiPropertyOptional()
  spent?: string;

  /** Amount held for running requests. @example "0.12" */
  @ApiPropertyOptional()
  reserved?: string;

  /** Remaining amount, at least 0. @example "4.876" */
  @ApiPropertyOptional()
  remaining?: string;

  /** Whether the budget is used up. Only for shared budgets. @example false */
  @ApiPropertyOptional()
  exhausted?: boolean;
}

export function toOwnBudgetDto(
  { scope, window, eachUser }: BudgetEntity,
  { limit, spent, reserved }: WindowState,
  { end }: WindowBounds,
): OwnBudgetDto {
  const shown = { scope, window, resets_at: end?.toISOString() ?? null };
  const left = limit - spent - reserved;
  const isOwn = eachUser || scope === 'user' || scope === 'api_key';
  return isOwn
    ? {
        ...shown,
        limit: formatAmount(limit),
        spent: formatAmount(spent),
        reserved: formatAmount(reserved),
        remaining: formatAmount(left > 0n ? left : 0n),
      }
    : { ...shown, exhausted: left <= 0n };
}
