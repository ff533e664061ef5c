import { Injectable } from '@nestjs/common';
import { formatAmount } from '../../common/money/amount';
import { PersonalDataRegistry } from '../user/user.api';
import { BudgetWindowEntity } from './windows/budget-window.entity';
import { limitOf, spentOf } from './windows/window-amounts';

/** What this module keeps about a user: what was spent of limits that every user has alone. */
@Injectable()
export class BudgetPersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'budgets',
      entities: [BudgetWindowEntity],
      rows: (userId) => registry.read(BudgetWindowEntity, userId, toExported),
      erase: (userId) => registry.delete(BudgetWindowEntity, userId),
    });
  }
}

function toExported(window: BudgetWindowEntity): object {
  return {
    budget_id: window.budgetId,
    window_start: window.startsAt.toISOString(),
    resets_at: window.endsAt?.toISOString() ?? null,
    limit: formatAmount(limitOf(window)),
    spent: formatAmount(spentOf(window)),
  };
}
