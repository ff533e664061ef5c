import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type Amount, formatAmount } from '../../../common/money/amount';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import type { BudgetEntity } from '../budgets/budget.entity';
import { type AppliedBudget, BudgetDirectory, type Payer } from '../budgets/budget-directory';
import type { BudgetWindowEntity } from '../windows/budget-window.entity';
import { BudgetWindows, type WantedWindow } from '../windows/budget-windows';
import { limitOf, remainingOf, reservedOf, spentOf, toStored } from '../windows/window-amounts';
import { reserveAndInsert, windowsOf } from '../windows/window-statements';
import { BudgetHoldEntity } from './budget-hold.entity';
import { BudgetNotices } from './budget-notices';

/** The purpose of a model request: the reply or a further round of it, its title, or a trial or an embedding with its own id. */
export type HoldName = 'reply' | `reply:${number}` | 'title' | `trial:${string}` | `embed:${string}`;

/** Identifies a hold. */
export interface HoldKey {
  /** Id of the reply. 0 if there is none. */
  messageId: number;
  name: HoldName;
}

/** The user, key and agent that a request is charged to, and when it was admitted. */
export interface ChargedRequest {
  payer: Payer;
  /** Selects the budget windows to charge. */
  at: Date;
}

/** The possible cost of a request. */
export interface Estimate {
  /** Highest possible cost. */
  most: Amount;
  /** Cost of the prompt alone. */
  least: Amount;
}

/** A model request that is about to be made. */
interface HoldOrder extends HoldKey, ChargedRequest {
  /** The instance that makes the request. */
  ownerId: string;
  /**
   * Called only if a budget applies.
   *
   * @param isHard whether any of the budgets refuses requests that may exceed its limit
   */
  estimate: (isHard: boolean) => Promise<Estimate> | Estimate;
}

/** The cost held for a request. */
export interface Hold extends HoldKey, Pick<ChargedRequest, 'at'> {
  budgetIds: readonly number[];
  /** Ids of the windows with the hold, ascending. */
  windowIds: readonly number[];
  amount: Amount;
  /** Smallest amount to charge if the outcome of the request is unknown. */
  least: Amount;
  /**
   * Whether any of the budgets refuses requests that may exceed its limit. Then the request must not cost more than the
   * amount.
   */
  isHard: boolean;
  /** The smallest remainder of all budgets after this hold, at least 0. */
  remaining: Amount;
}

const MOST_ATTEMPTS = 5;

/** Some window did not accept the hold. The transaction is rolled back, and the reason is determined afterwards. */
class NotHeld extends Error {
  constructor(
    readonly wanted: readonly WantedWindow[],
    readonly amount: Amount,
  ) {
    super('Not every budget took the hold.');
  }
}

/**
 * Holds the possible cost of a request in all budgets that apply, before the model request. If none applies, it runs no
 * statement.
 *
 * Lock order: the chat and its messages, then usage, then budget windows by ascending id, then holds. Windows come
 * last, because all transactions wait for the window of the service-wide budget until the transaction that changed it
 * ends.
 */
@Injectable()
export class BudgetAdmission {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sharedClock: SharedClock,
    private readonly directory: BudgetDirectory,
    private readonly windows: BudgetWindows,
    private readonly notices: BudgetNotices,
  ) {}

  /**
   * Wraps the transaction that calls `admit`. It creates missing windows and repeats the transaction, or throws the
   * reason for the refusal.
   *
   * @throws BudgetExceededError
   * @example await this.admission.run(() => this.database.write((manager) => this.admission.admit(manager, order)))
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NotHeld)) {
          throw error;
        }
        const refusal = await this.reasonOf(error, attempt >= MOST_ATTEMPTS);
        if (refusal !== null) {
          throw refusal;
        }
      }
    }
  }

  /** Whether any budget applies. If none does, a request without its own transaction does not need one. */
  async applies(payer: Payer, at: Date): Promise<boolean> {
    return (await this.directory.applying(payer, at)).length > 0;
  }

  /** Whether any budget refuses requests that may exceed its limit, regardless of its scope. */
  async hasHard(at: Date): Promise<boolean> {
    return (await this.directory.hard(at)).length > 0;
  }

  /**
   * Call it within `Database.write`, which is called within `run`.
   *
   * @returns null if no budget applies
   * @throws the errors of the estimate
   */
  async admit(manager: EntityManager, order: HoldOrder): Promise<Hold | null> {
    const applied = await this.directory.applying(order.payer, order.at);
    if (applied.length === 0) {
      return null;
    }
    const isHard = applied.some(({ budget }) => budget.mode === 'hard');
    const { most, least } = await order.estimate(isHard);
    const ids = this.idsOf(applied, order.at, most);
    const row = { ...rowOf(order, ids, most, least), createdAt: this.sharedClock.now() };
    const amounts = await reserveAndInsert(manager, ids, most, BudgetHoldEntity, row);
    if (amounts === null) {
      throw new NotHeld(wantedAt(applied, order.at), most);
    }
    const { messageId, name, at } = order;
    const remaining = amounts.reduce((one, other) => (other < one ? other : one));
    const budgetIds = applied.map(({ budget }) => budget.id);
    return { messageId, name, at, budgetIds, windowIds: ids, amount: most, least, isHard, remaining };
  }

  /** Window ids in ascending order. @throws NotHeld when windows must be created first */
  private idsOf(applied: readonly AppliedBudget[], at: Date, amount: Amount): number[] {
    const wanted = wantedAt(applied, at);
    const ids = wanted.map((one) => this.windows.idOf(one)).filter((id) => id !== undefined);
    if (ids.length < wanted.length) {
      throw new NotHeld(wanted, amount);
    }
    return ids.sort((one, other) => one - other);
  }

  /**
   * Null if the obstacle is gone, so the transaction can be repeated.
   *
   * @param isLast whether this was the last attempt; if other requests constantly change the windows, the fullest
   * budget is the reason
   */
  private async reasonOf({ wanted, amount }: NotHeld, isLast: boolean): Promise<BudgetExceededError | null> {
    const known = new Map(wanted.map((one) => [this.windows.idOf(one), one]));
    const present = await windowsOf(
      this.database.manager,
      [...known.keys()].filter((id) => id !== undefined),
    );
    const hard = present.filter(({ isHard }) => isHard);
    const full = hard.find((window) => remainingOf(window) < amount) ?? (isLast ? fullest(hard) : undefined);
    if (full !== undefined) {
      const { budget } = known.get(full.id) as WantedWindow;
      this.notices.refused(budget, full);
      return exceededError(budget, full, this.clock.now());
    }
    const ids = new Set(present.map(({ id }) => id));
    const missing = wanted.filter((one) => !ids.has(this.windows.idOf(one) ?? 0));
    missing.forEach((one) => this.windows.forget(one));
    await this.windows.open(missing);
    return null;
  }
}

function fullest([first, ...others]: readonly BudgetWindowEntity[]): BudgetWindowEntity | undefined {
  return first && others.reduce((least, window) => (remainingOf(window) < remainingOf(least) ? window : least), first);
}

function wantedAt(applied: readonly AppliedBudget[], at: Date): WantedWindow[] {
  return applied.map((one) => ({ ...one, at }));
}

function rowOf(
  { messageId, name, ownerId }: HoldOrder,
  [windowId, ...otherWindowIds]: readonly number[],
  most: Amount,
  least: Amount,
): Omit<BudgetHoldEntity, 'createdAt'> {
  const [held, known] = [toStored(most), toStored(least)];
  const amounts = { units: held.units, picos: held.picos, leastUnits: known.units, leastPicos: known.picos };
  return { messageId, name, windowId: windowId as number, otherWindowIds, ...amounts, ownerId };
}

/** The refusal for this window. */
function exceededError(
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
