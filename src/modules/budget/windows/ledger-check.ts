import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Amount } from '../../../common/money/amount';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { BudgetEntity } from '../budgets/budget.entity';
import { BudgetWindowEntity } from './budget-window.entity';
import { BudgetWindows } from './budget-windows';
import { SpentBefore } from './spent-before';
import { spentOf, toStored } from './window-amounts';

/**
 * Times of the checks after a budget is created or reset. The second one meets the documented 15 seconds, when every
 * instance has known the budget for a while. The last one covers long transactions.
 */
const CHECKS = [8, 13, 60].map((seconds) => seconds * SECOND_MILLISECONDS);

/** Older budgets need no check. An instance that starts also checks budgets that another one may not have finished. */
const YOUNG = 10 * MINUTE_MILLISECONDS;

/** Rows that are written later are read while the windows are locked. */
const LONGEST_TRANSACTION = MINUTE_MILLISECONDS;

/**
 * Adds missing ledger costs to the windows of new budgets. If a reply ends on an instance that does not know the budget
 * yet, it is not charged to the budget. Its row may be committed after the window was created.
 */
@Injectable()
export class LedgerCheck {
  private readonly logger = new Logger(LedgerCheck.name);
  /** Time of the last check in milliseconds, by budget id. */
  private checked = new Map<number, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly windows: BudgetWindows,
    private readonly spentBefore: SpentBefore,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.checkDue(),
      onError: (error) => this.logger.warn({ error }, 'New budgets could not be compared with the ledger.'),
    });
  }

  /** Runs the due checks. @returns milliseconds until the next check; null if none is due later */
  async checkDue(): Promise<number | null> {
    const now = this.clock.now().getTime();
    const young = await findRows(this.database.manager, BudgetEntity, {
      condition: 'updated_at > ?',
      parameters: [new Date(now - YOUNG)],
    });
    const checked = new Map<number, number>();
    let next: number | null = null;
    for (const budget of young) {
      const last = this.checked.get(budget.id) ?? 0;
      const times = CHECKS.map((delay) => changedAt(budget).getTime() + delay).filter((time) => time > last);
      const isDue = times.some((time) => time <= now);
      if (isDue) {
        await this.check(budget);
      }
      checked.set(budget.id, isDue ? now : last);
      next = Math.min(next ?? Infinity, ...times.filter((time) => time > now));
    }
    this.checked = checked;
    return next === null || next === Infinity ? null : next - now;
  }

  /**
   * Raises the spending to the ledger's sum. The spending may be higher, because a reply that a crash interrupted is
   * charged at least its prompt.
   */
  private async check({ id }: BudgetEntity): Promise<void> {
    const now = this.clock.now();
    const recent = new Date(now.getTime() - LONGEST_TRANSACTION);
    const budget = (await findRows(this.database.manager, BudgetEntity, { id }))[0];
    if (budget === undefined) {
      return;
    }
    const bounds = this.windows.boundsOf(budget, now);
    // Reads older rows before the transaction, because there may be many.
    const past = await this.spentBefore.ofEach(null, budget, bounds, { until: recent });
    await this.database.write(async (manager) => {
      if ((await findLocked(manager, BudgetEntity, { id })) === null) {
        return;
      }
      const present = { budgetId: id, startsAt: bounds.start };
      const windows = await findRows(manager, BudgetWindowEntity, present, { order: { id: 'ASC' }, lock: 'wait' });
      // Reads these rows under the lock, when no request can be charged. A request that waits for a window has not
      // committed its ledger row yet, so it is not counted here and charges its cost afterwards.
      const latest = await this.spentBefore.ofEach(manager, budget, bounds, { from: recent });
      for (const window of windows) {
        await this.raise(manager, window, (past.get(window.userId) ?? 0n) + (latest.get(window.userId) ?? 0n));
      }
    });
  }

  private async raise(manager: EntityManager, window: BudgetWindowEntity, spent: Amount): Promise<void> {
    if (spent > spentOf(window)) {
      const { units: spentUnits, picos: spentPicos } = toStored(spent);
      await updateRows(manager, BudgetWindowEntity, { spentUnits, spentPicos }, { id: window.id });
    }
  }
}

/** When the counted period last changed. A reset is later than the creation. */
function changedAt({ createdAt, countedFrom }: BudgetEntity): Date {
  return countedFrom > createdAt ? countedFrom : createdAt;
}
