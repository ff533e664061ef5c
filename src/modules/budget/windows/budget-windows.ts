import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { growingCache } from '../../../common/cache/growing-cache';
import { Clock } from '../../../common/clock';
import { type Amount, formatAmount, PICOS_IN_UNIT } from '../../../common/money/amount';
import { toWhole } from '../../../common/money/stored-amount';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { BudgetConfig } from '../budget.config';
import { BudgetEntity } from '../budgets/budget.entity';
import { type AppliedBudget, BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindowEntity, SHARED } from './budget-window.entity';
import { Calendar, type WindowBounds } from './calendar-window';
import { SpentBefore } from './spent-before';
import { limitOf, reservedOf, spentOf, toStored, type WindowState } from './window-amounts';

/** Most window ids in the cache. */
const MOST_IDS = 50_000;

/** Longer than any transaction, so that the ledger is complete for the time before. */
const LONGEST_TRANSACTION = 10 * MINUTE_MILLISECONDS;

/**
 * Sums of these integers are exact: fewer than 9,000 remainders add up to less than 2^53, and drivers return larger
 * sums as text.
 */
const USE = `SELECT SUM(spent_units), SUM(spent_picos), SUM(reserved_units), SUM(reserved_picos)
  FROM budget_windows WHERE budget_id = ? AND starts_at = ?`;

/** Most users to list who have used up a budget. */
const MOST_USERS = 10;

/** Parameters: ids of budgets, the time twice, most users of each budget. */
const usedUpOf = (budgets: number): string => `
  SELECT ranked.budget_id, ranked.user_id, account.username,
    ranked.spent_units, ranked.spent_picos, ranked.limit_units, ranked.limit_picos
  FROM (
    SELECT budget_windows.*, ROW_NUMBER() OVER (
      PARTITION BY budget_id ORDER BY spent_units DESC, spent_picos DESC, user_id
    ) AS place
    FROM budget_windows
    WHERE budget_id IN (${Array(budgets).fill('?').join(', ')}) AND starts_at <= ? AND (ends_at IS NULL OR ends_at > ?)
      AND user_id <> ${SHARED}
      AND (spent_units > limit_units OR spent_units = limit_units AND spent_picos >= limit_picos)
  ) ranked
  LEFT JOIN users account ON account.id = ranked.user_id
  WHERE ranked.place <= ?
  ORDER BY ranked.budget_id, ranked.place`;

/** A user who has used up a budget, in the form of the API. */
export interface UsedUpUser {
  user_id: number;
  username: string | null;
  spent: string;
  limit: string;
}

/** A budget, and a time that selects its window. */
export interface WantedWindow extends AppliedBudget {
  at: Date;
}

/**
 * Finds the windows of budgets, and creates missing ones. They are created before the transaction that needs them,
 * because that transaction locks windows in the order of their ids.
 */
@Injectable()
export class BudgetWindows {
  private readonly ids = growingCache<string, number>(MOST_IDS);
  private readonly calendar: Calendar;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly directory: BudgetDirectory,
    private readonly spentBefore: SpentBefore,
    config: BudgetConfig,
  ) {
    this.calendar = new Calendar(config.TIME_ZONE);
  }

  boundsOf({ window, startsAt }: Pick<BudgetEntity, 'window' | 'startsAt'>, at: Date): WindowBounds {
    return this.calendar.currentWindow(window, at, startsAt);
  }

  /** The id of a window. Undefined if it is not cached; then call `open`. */
  idOf(wanted: WantedWindow): number | undefined {
    return this.ids.get(this.keyOf(wanted));
  }

  /** The cached id may be outdated, because the budget may have been deleted. */
  forget(wanted: WantedWindow): void {
    this.ids.delete(this.keyOf(wanted));
  }

  /** Creates missing windows. Windows of deleted budgets are skipped. */
  async open(wanted: readonly WantedWindow[]): Promise<void> {
    for (const one of wanted) {
      // Reads older rows before the transaction, because there may be many.
      const recent = new Date(this.clock.now().getTime() - LONGEST_TRANSACTION);
      const bounds = this.boundsOf(one.budget, one.at);
      const spent = await this.spentBefore.of(null, one, bounds, { until: recent });
      const id = await this.database.write((manager) => this.findOrMake(manager, one, { spent, recent }));
      if (id !== null) {
        this.ids.set(this.keyOf(one), id);
      }
    }
  }

  /** Null if the window does not exist yet. */
  find({ budget, userId, at }: WantedWindow, manager = this.database.manager): Promise<BudgetWindowEntity | null> {
    const { start: startsAt } = this.boundsOf(budget, at);
    return findRow(manager, BudgetWindowEntity, { budgetId: budget.id, userId, startsAt });
  }

  /** The amounts of a window. If it does not exist yet, the amounts that it would start with. */
  async stateOf(wanted: WantedWindow): Promise<WindowState> {
    const { budget, at } = wanted;
    const bounds = this.boundsOf(budget, at);
    const window = await this.find(wanted);
    return window === null
      ? {
          limit: limitOf(budget),
          spent: await this.spentBefore.of(null, wanted, bounds),
          reserved: 0n,
        }
      : { limit: limitOf(window), spent: spentOf(window), reserved: reservedOf(window) };
  }

  /** The spending and the holds of a budget's window at a time, over all users. */
  async useOf(budget: BudgetEntity, at: Date): Promise<{ spent: Amount; reserved: Amount }> {
    const { start } = this.boundsOf(budget, at);
    const cells = await runForRow(this.database.manager, USE, [budget.id, start]);
    const [spentUnits, spentPicos, reservedUnits, reservedPicos] = (cells ?? []).map(toWhole) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    return { spent: spentUnits * PICOS_IN_UNIT + spentPicos, reserved: reservedUnits * PICOS_IN_UNIT + reservedPicos };
  }

  /**
   * The users who have used up their own limit at a time, by budget: the ten with the highest spending of each budget.
   * Uses one query.
   */
  async usedUp(budgets: readonly BudgetEntity[], at: Date): Promise<ReadonlyMap<number, UsedUpUser[]>> {
    const ids = budgets.filter(({ eachUser }) => eachUser).map(({ id }) => id);
    if (ids.length === 0) {
      return new Map();
    }
    const { rows } = await runStatement(this.database.manager, usedUpOf(ids.length), [...ids, at, at, MOST_USERS]);
    const found = new Map<number, UsedUpUser[]>();
    for (const [budgetId, user_id, username, ...parts] of rows) {
      const [spentUnits, spentPicos, limitUnits, limitPicos] = parts.map(toWhole) as [bigint, bigint, bigint, bigint];
      const user = {
        user_id: user_id as number,
        username: username as string | null,
        spent: formatAmount(spentUnits * PICOS_IN_UNIT + spentPicos),
        limit: formatAmount(limitUnits * PICOS_IN_UNIT + limitPicos),
      };
      found.set(budgetId as number, [...(found.get(budgetId as number) ?? []), user]);
    }
    return found;
  }

  private async findOrMake(
    manager: EntityManager,
    wanted: WantedWindow,
    before: { spent: Amount; recent: Date },
  ): Promise<number | null> {
    const { budget: known, userId, at } = wanted;
    // The lock prevents concurrent creation of the window and concurrent changes of the limit. Late charges for
    // requests that started before the budget take it too, so that each request counts once.
    const budget = await findLocked(manager, BudgetEntity, { id: known.id });
    if (budget === null) {
      this.directory.forgetOnCommit();
      return null;
    }
    const bounds = this.boundsOf(budget, at);
    const { start: startsAt, end: endsAt } = bounds;
    const present = await findRow(manager, BudgetWindowEntity, { budgetId: budget.id, userId, startsAt });
    if (present !== null) {
      return present.id;
    }
    const recent = await this.spentBefore.of(manager, { budget, userId }, bounds, { from: before.recent });
    const spent = toStored(before.spent + recent);
    return insertRow(manager, BudgetWindowEntity, {
      budgetId: budget.id,
      userId,
      startsAt,
      endsAt,
      isHard: budget.mode === 'hard',
      limitUnits: budget.limitUnits,
      limitPicos: budget.limitPicos,
      spentUnits: spent.units,
      spentPicos: spent.picos,
      reservedUnits: 0n,
      reservedPicos: 0n,
      reportedPercent: 0,
      exceededAt: null,
    });
  }

  private keyOf({ budget, userId, at }: WantedWindow): string {
    return `${budget.id}:${userId}:${this.boundsOf(budget, at).start.getTime()}`;
  }
}
