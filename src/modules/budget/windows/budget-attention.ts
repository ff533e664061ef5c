import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { BudgetEntity } from '../budgets/budget.entity';
import { UnpricedModels } from '../budgets/unpriced-models';
import { BudgetWindowEntity, SHARED } from './budget-window.entity';
import { limitOf, reservedOf, spentOf } from './window-amounts';

/** Percentage of the limit from which a shared budget counts as nearly used. */
const NEARLY_PERCENT = 90n;

/** Reports to administrators shared budgets that are nearly used, and models that hard budgets refuse. */
@Injectable()
export class BudgetAttention {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly unpriced: UnpricedModels,
    attention: Attention,
  ) {
    attention.add(() => this.nearlyUsed());
    attention.add(() => this.refusedModels());
  }

  private async refusedModels(): Promise<AttentionItem[]> {
    const refused = (await this.unpriced.find()).filter(({ budgetIds }) => budgetIds.length > 0);
    return refused.map(({ provider, model, budgetIds }) => ({
      kind: 'model_unpriced',
      since: null,
      count: budgetIds.length,
      target: `${provider}:${model}`,
    }));
  }

  private async nearlyUsed(): Promise<AttentionItem[]> {
    const now = this.clock.now();
    const windows = await findRows(this.database.manager, BudgetWindowEntity, {
      condition: 'user_id = ? AND starts_at <= ? AND (ends_at IS NULL OR ends_at > ?)',
      parameters: [SHARED, now, now],
    });
    const budgets = await findRows(this.database.manager, BudgetEntity, {
      id: In([...new Set(windows.map(({ budgetId }) => budgetId))]),
    });
    const names = new Map(budgets.map(({ id, name }) => [id, name]));
    return windows.flatMap((window) => {
      const limit = limitOf(window);
      const percent = limit === 0n ? 100n : ((spentOf(window) + reservedOf(window)) * 100n) / limit;
      if (percent < NEARLY_PERCENT) return [];
      return [
        {
          kind: 'budget_nearly_used' as const,
          since: window.exceededAt,
          count: Number(percent),
          target: names.get(window.budgetId) ?? String(window.budgetId),
        },
      ];
    });
  }
}
