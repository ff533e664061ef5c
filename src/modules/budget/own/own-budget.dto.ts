import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { formatAmount } from '../../../common/money/amount';
import { BUDGET_SCOPES, type BudgetScope } from '../../../common/money/spending.errors';
import type { BudgetEntity } from '../budgets/budget.entity';
import { BUDGET_WINDOWS, type BudgetWindow, type WindowBounds } from '../windows/calendar-window';
import type { WindowState } from '../windows/window-amounts';

/** A budget that the caller's requests are charged to. Amounts are decimal numbers, and shown of one's own budgets only. */
export class OwnBudgetDto {
  /** Whose spending counts. @example "user" */
  @ApiProperty({ enum: BUDGET_SCOPES })
  scope: BudgetScope;

  /** How long it lasts. @example "month" */
  @ApiProperty({ enum: BUDGET_WINDOWS })
  window: BudgetWindow;

  /** When it begins anew; null: never. @example "2026-04-01T00:00:00.000Z" */
  resets_at: string | null;

  /** What may be spent; absent where others share the budget. @example "25" */
  @ApiPropertyOptional()
  limit?: string;

  /** What was spent. @example "20.004" */
  @ApiPropertyOptional()
  spent?: string;

  /** What running requests hold. @example "0.12" */
  @ApiPropertyOptional()
  reserved?: string;

  /** What is left; not below 0. @example "4.876" */
  @ApiPropertyOptional()
  remaining?: string;

  /** Whether nothing is left; only where others share the budget. @example false */
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
