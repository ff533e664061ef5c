import { formatAmount } from '../../../common/money/amount';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { BudgetEntity } from '../budgets/budget.entity';
import type { BudgetWindowEntity } from '../windows/budget-window.entity';
import { limitOf, reservedOf, spentOf } from '../windows/window-amounts';

/** The refusal because of this window. */
export function exceededError(
  { scope }: Pick<BudgetEntity, 'scope'>,
  window: BudgetWindowEntity,
  now: Date,
): BudgetExceededError {
  const { endsAt } = window;
  const details = {
    scope,
    limit: formatAmount(limitOf(window)),
    spent: formatAmount(spentOf(window)),
    reserved: formatAmount(reservedOf(window)),
    resets_at: endsAt?.toISOString() ?? null,
  };
  const seconds = endsAt && (endsAt.getTime() - now.getTime()) / SECOND_MILLISECONDS;
  return new BudgetExceededError(details, seconds ?? undefined);
}
