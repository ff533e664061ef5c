import { defineAudit } from '../../../common/audit/audit-definition';
import { formatAmount } from '../../../common/money/amount';
import { fromStored } from '../windows/window-amounts';
import type { BudgetEntity } from './budget.entity';

/** The audit log's view of a budget. */
export const budgetAudit = defineAudit<BudgetEntity>({
  subject: 'budget',
  state: (budget) => ({
    name: budget.name,
    scope: budget.scope,
    scope_id: budget.plan ?? budget.scopeId,
    each_user: budget.eachUser,
    window: budget.window,
    limit: formatAmount(fromStored(budget.limitUnits, budget.limitPicos)),
    mode: budget.mode,
    thresholds: budget.thresholds,
    starts_at: budget.startsAt.toISOString(),
    counted_from: budget.countedFrom.toISOString(),
    note: budget.note,
  }),
  personal: ['name', 'note'],
});
