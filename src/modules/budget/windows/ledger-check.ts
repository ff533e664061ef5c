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
 * When budgets are checked after they were created or reset. The second check comes in time for the promise of 15 seconds, when
 * every instance has known them for a while; the last one is for transactions that took long.
 */
const CHECKS = [8, 13, 60].map((seconds) => seconds * SECOND_MILLISECONDS);

/** Older budgets need no check. An instance that starts checks those that another one may have left. */
const YOUNG = 10 * MINUTE_MILLISECONDS;

/** Rows that are written later are read under the lock of the windows. */
const LONGEST_TRANSACTION = MINUTE_MILLISECONDS;

/**
 * Brings what the ledger has into windows of new budgets. A reply that ends on an instance which does not know the budget yet is
 * not charged to it, and may be committed when the window has already been made.
 */
@Injectable()
export class LedgerCheck {
  private readonly logger = new Logger(LedgerCheck.name);
  /** When budgets were last checked, in milliseconds, by their ids. */
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

  /** Checks what is due. @returns milliseconds until the next check; null: none is known */
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

  /** Raises what is spent to what the ledger has. It may be more: of a reply that a crash has cut, the prompt counts at least. */
  private async check({ id }: BudgetEntity): Promise<void> {
    const now = this.clock.now();
    const recent = new Date(now.getTime() - LONGEST_TRANSACTION);
    const budget = (await findRows(this.database.manager, BudgetEntity, { id }))[0];
    if (budget === undefined) {
      return;
    }
    const bounds = this.windows.boundsOf(budget, now);
    // What is long past may be much, and is read before the transaction.
    const past = await this.spentBefore.ofEach(this.database.manager, budget, bounds, { until: recent });
    await this.database.write(async (manager) => {
      if ((await findLocked(manager, BudgetEntity, { id })) === null) {
        return;
      }
      const present = { budgetId: id, startsAt: bounds.start };
      const windows = await findRows(manager, BudgetWindowEntity, present, { order: { id: 'ASC' }, lock: 'wait' });
      // Only now, when no request can be charged: who holds a window has its row in the ledger, and adds it later.
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

/** When what counts was last set: a reset is later than the creation. */
function changedAt({ createdAt, countedFrom }: BudgetEntity): Date {
  return countedFrom > createdAt ? countedFrom : createdAt;
}
