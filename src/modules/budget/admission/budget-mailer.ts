import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { formatAmount } from '../../../common/money/amount';
import type { MailDefinition } from '../../../integrations/mail/mail-definition';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { type User, UserService } from '../../user/user.api';
import { BUDGET_EXCEEDED, BUDGET_THRESHOLD } from '../budget.mails';
import type { BudgetEntity } from '../budgets/budget.entity';
import { type BudgetWindowEntity, SHARED } from '../windows/budget-window.entity';
import { limitOf, spentOf } from '../windows/window-amounts';

/** Writes to administrators, and to the user whose own budget it is. */
@Injectable()
export class BudgetMailer {
  constructor(
    private readonly users: UserService,
    private readonly mails: MailQueue,
  ) {}

  tellThreshold(
    manager: EntityManager,
    budget: BudgetEntity,
    window: BudgetWindowEntity,
    percent: number,
  ): Promise<void> {
    return this.tell(manager, BUDGET_THRESHOLD, budget, window, { ...valuesOf(budget, window), percent });
  }

  tellExceeded(manager: EntityManager, budget: BudgetEntity, window: BudgetWindowEntity): Promise<void> {
    return this.tell(manager, BUDGET_EXCEEDED, budget, window, valuesOf(budget, window));
  }

  private async tell<Values extends object>(
    manager: EntityManager,
    mail: MailDefinition<Values>,
    budget: BudgetEntity,
    window: BudgetWindowEntity,
    values: Values,
  ): Promise<void> {
    for (const user of await this.receivers(budget, window)) {
      await this.mails.enqueue(manager, {
        mail,
        to: user.email,
        language: await this.users.languageOf(user),
        values,
        dedupeKey: `${mail.kind}:${window.id}:${user.id}`,
      });
    }
  }

  private async receivers({ scope, scopeId }: BudgetEntity, { userId }: BudgetWindowEntity): Promise<User[]> {
    const administrators = await this.users.administrators();
    const ownerId = userId !== SHARED ? userId : scope === 'user' ? scopeId : null;
    const owner = ownerId === null ? null : await this.users.findById(ownerId);
    const all =
      owner === null || administrators.some(({ id }) => id === owner.id) ? administrators : [...administrators, owner];
    return all.filter(({ settings }) => settings.email_notifications !== false);
  }
}

function valuesOf({ id }: BudgetEntity, window: BudgetWindowEntity): (typeof BUDGET_EXCEEDED)['example'] {
  return {
    id,
    limit: formatAmount(limitOf(window)),
    spent: formatAmount(spentOf(window)),
    resetsAt: window.endsAt?.toISOString() ?? null,
  };
}
