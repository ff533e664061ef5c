import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { formatAmount } from '../../common/money/amount';
import { Database } from '../../database/database';
import { findRows } from '../../database/statements/find';
import { updateRows } from '../../database/statements/update';
import { ApiKeyQuery } from '../api-key/api-key.api';
import { PersonalDataRegistry } from '../user/user.api';
import { BudgetEntity } from './budgets/budget.entity';
import { BudgetWindowEntity } from './windows/budget-window.entity';
import { limitOf, spentOf } from './windows/window-amounts';

/** The personal data of this module: spending against per-user limits, and notes on the user's own budgets. */
@Injectable()
export class BudgetPersonalData {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyQuery,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'budgets',
      entities: [BudgetEntity, BudgetWindowEntity],
      rows: (userId) => registry.read(BudgetWindowEntity, userId, toExported),
      erase: async (userId) => {
        await this.eraseNotes(userId);
        await registry.delete(BudgetWindowEntity, userId);
      },
    });
  }

  /** Budgets of the user and of the user's keys stay, with ids that no longer identify anyone. */
  private async eraseNotes(userId: number): Promise<void> {
    const { manager } = this.database;
    const ofKeys = [
      { scope: 'api_key' as const, note: Not(IsNull()) },
      { scope: 'api_key' as const, name: Not(IsNull()) },
    ];
    const noted = await findRows(manager, BudgetEntity, ofKeys, { members: ['id', 'scopeId'] });
    const keys = await this.keys.find(noted.map(({ scopeId }) => scopeId ?? 0));
    // The user's keys may already be erased, and a budget of a deleted key needs neither name nor note.
    const own = noted.filter(({ scopeId }) => (keys.get(scopeId ?? 0)?.userId ?? userId) === userId);
    await this.database.write(async (writer) => {
      const nothing = { name: null, note: null };
      await updateRows(writer, BudgetEntity, nothing, { scope: 'user', scopeId: userId });
      await updateRows(writer, BudgetEntity, nothing, { id: In(own.map(({ id }) => id)) });
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
