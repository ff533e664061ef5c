import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { formatAmount } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/statements/update';
import type { MailDefinition } from '../../../integrations/mail/mail-definition';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { type User, UserService } from '../../user/user.api';
import { budgetExceeded, budgetThreshold, type BudgetWindowData } from '../budget.events';
import { BUDGET_EXCEEDED, BUDGET_THRESHOLD } from '../budget.mails';
import type { BudgetEntity } from '../budgets/budget.entity';
import { BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindowEntity, SHARED } from '../windows/budget-window.entity';
import { limitOf, percentReached, spentOf } from '../windows/window-amounts';

/** Sends mails to administrators, and to the user if the budget is the user's own. */
@Injectable()
export class BudgetMailer {
  constructor(
    private readonly users: UserService,
    private readonly mails: MailQueue,
  ) {}

  sendThreshold(
    manager: EntityManager,
    budget: BudgetEntity,
    window: BudgetWindowEntity,
    percent: number,
  ): Promise<void> {
    return this.send(manager, BUDGET_THRESHOLD, budget, window, { ...valuesOf(budget, window), percent });
  }

  sendExceeded(manager: EntityManager, budget: BudgetEntity, window: BudgetWindowEntity): Promise<void> {
    return this.send(manager, BUDGET_EXCEEDED, budget, window, valuesOf(budget, window));
  }

  private async send<Values extends object>(
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
    const isAway = owner === null || this.users.refusalOf(owner) !== null;
    const all =
      isAway || administrators.some(({ id }) => id === owner.id) ? administrators : [...administrators, owner];
    return all.filter(({ settings }) => settings.email_notifications !== false);
  }
}

function valuesOf({ id, name }: BudgetEntity, window: BudgetWindowEntity): (typeof BUDGET_EXCEEDED)['example'] {
  return {
    id,
    name,
    limit: formatAmount(limitOf(window)),
    spent: formatAmount(spentOf(window)),
    resetsAt: window.endsAt?.toISOString() ?? null,
  };
}

/**
 * Reports budgets that run low, by events and by mail: each threshold once per window when its spending passes it, and
 * once per window that the limit is reached.
 */
@Injectable()
export class BudgetNotices implements OnModuleDestroy {
  private readonly logger = new Logger(BudgetNotices.name);
  private readonly pending = new Set<Promise<void>>();
  /** Created at startup, so that its work does not join the caller's transaction. */
  private readonly outside = new AsyncResource('BudgetNotices');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly directory: BudgetDirectory,
    private readonly mailer: BudgetMailer,
  ) {}

  /** Below this percentage of its limit, none of these budgets needs a notice. */
  async lowestPercent(budgetIds: readonly number[]): Promise<number> {
    const budgets = await Promise.all(budgetIds.map((id) => this.directory.find(id)));
    return Math.min(100, ...budgets.flatMap((budget) => budget?.thresholds ?? []));
  }

  /** Runs in the transaction that spent an amount in these windows and has locked their rows. */
  async settled(manager: EntityManager, windows: readonly BudgetWindowEntity[]): Promise<void> {
    for (const window of windows) {
      const budget = await this.directory.find(window.budgetId);
      if (budget !== null) {
        await this.reportThresholds(manager, budget, window);
        if (window.exceededAt === null && spentOf(window) > limitOf(window)) {
          await this.reportExceeded(manager, budget, window);
        }
      }
    }
  }

  /** A window has refused a request, whose transaction is rolled back. The request does not wait for the notice. */
  refused(budget: BudgetEntity, window: BudgetWindowEntity): void {
    if (window.exceededAt !== null) {
      return;
    }
    const reporting = this.outside
      .runInAsyncScope(() => this.database.write((manager) => this.reportExceeded(manager, budget, window)))
      .catch((error: unknown) => {
        this.logger.warn({ error, budget_id: budget.id }, 'A budget that is used up could not be reported.');
      })
      .finally(() => this.pending.delete(reporting));
    this.pending.add(reporting);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.pending);
  }

  private async reportThresholds(
    manager: EntityManager,
    budget: BudgetEntity,
    window: BudgetWindowEntity,
  ): Promise<void> {
    const reached = percentReached(window, budget.thresholds);
    if (reached <= window.reportedPercent) {
      return;
    }
    await updateRows(manager, BudgetWindowEntity, { reportedPercent: reached }, { id: window.id });
    const data = dataOf(budget, window);
    const passed = budget.thresholds.filter((percent) => percent > window.reportedPercent && percent <= reached);
    await this.events.publishAll(
      manager,
      passed.map((threshold) => budgetThreshold(ownerOf(budget, window), { ...data, threshold })),
    );
    await this.mailer.sendThreshold(manager, budget, window, reached);
  }

  private async reportExceeded(
    manager: EntityManager,
    budget: BudgetEntity,
    window: BudgetWindowEntity,
  ): Promise<void> {
    const exceededAt = this.clock.now();
    const marked = await updateRows(manager, BudgetWindowEntity, { exceededAt }, 'id = ? AND exceeded_at IS NULL', [
      window.id,
    ]);
    if (marked > 0) {
      await this.events.publish(manager, budgetExceeded(ownerOf(budget, window), dataOf(budget, window)));
      await this.mailer.sendExceeded(manager, budget, window);
    }
  }
}

/** The user whose own budget it is. Null if it is shared. */
export function ownerOf({ scope, scopeId }: BudgetEntity, { userId }: BudgetWindowEntity): number | null {
  return userId !== SHARED ? userId : scope === 'user' ? scopeId : null;
}

function dataOf(budget: BudgetEntity, window: BudgetWindowEntity): BudgetWindowData {
  return {
    budget_id: budget.id,
    scope: budget.scope,
    scope_id: budget.scopeId,
    membership_type: budget.plan,
    user_id: window.userId === SHARED ? null : window.userId,
    window: budget.window,
    window_start: window.startsAt.toISOString(),
    resets_at: window.endsAt?.toISOString() ?? null,
    limit: formatAmount(limitOf(window)),
    spent: formatAmount(spentOf(window)),
  };
}
