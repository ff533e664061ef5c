import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { deletionOf } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { lockRows } from '../../../database/statements/row-lock';
import { BudgetEntity } from '../budgets/budget.entity';
import { type AppliedBudget, BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindowEntity } from '../windows/budget-window.entity';
import { BudgetWindows } from '../windows/budget-windows';
import { fromStored } from '../windows/window-amounts';
import { reserve, settle, windowsOf } from '../windows/window-statements';
import type { ChargedRequest, Hold, HoldKey } from './budget-admission';
import { BudgetHoldEntity } from './budget-hold.entity';
import { BudgetNotices } from './budget-notices';

/** The cost of a request, as far as it is known. */
export interface SettledCost {
  /** Null if unknown, because the model has no price. */
  cost: Amount | null;
  /**
   * Whether the outcome of the request is unknown. Then at least the prompt is charged, because it may have been sent.
   */
  isUncertain: boolean;
}

type StoredHold = Pick<Hold, 'windowIds' | 'amount' | 'least'> & Partial<Pick<Hold, 'budgetIds'>>;

/** A budget has no room for another request in addition to the cost of an earlier one. Roll back. */
export class NoRoomLeft extends Error {
  constructor() {
    super('A budget has no room for another request.');
  }
}

/** Ends holds and charges actual costs. All methods run within `Database.write`. */
@Injectable()
export class BudgetSettlement {
  constructor(
    private readonly notices: BudgetNotices,
    private readonly directory: BudgetDirectory,
    private readonly windows: BudgetWindows,
  ) {}

  /**
   * Settles a hold exactly once, even if several instances try. Does nothing if the hold does not exist.
   *
   * @param key the hold; if the caller has all of it in memory, it is not read
   */
  async settle(manager: EntityManager, key: HoldKey | Hold, settled: SettledCost): Promise<void> {
    const hold: StoredHold | null = 'windowIds' in key ? key : await this.read(manager, key);
    await this.end(manager, key, hold, settled);
  }

  /**
   * Like `settle`, for a request whose cost was just written to the ledger. It also charges budgets that started before
   * the request but were not yet known then.
   *
   * @param key null if no budget applied when the request started, or if its hold stays
   * @param staying the request's hold, if it stays
   */
  async charge(
    manager: EntityManager,
    key: HoldKey | Hold | null,
    settled: SettledCost,
    { payer, at }: ChargedRequest,
    staying: Hold | null = null,
  ): Promise<void> {
    const hold = key === null || 'windowIds' in key ? key : await this.read(manager, key);
    const held = hold ?? staying;
    const cost = settled.cost ?? 0n;
    const late = cost > 0n ? await this.lateWindows(manager, { payer, at }, held) : [];
    if (late.length > 0) {
      await lockRows(manager, BudgetWindowEntity, [...late, ...(held?.windowIds ?? [])]);
      const near = await settle(manager, late, { cost, held: 0n, percent: 0 });
      await this.notices.settled(manager, near);
    }
    if (key !== null) {
      await this.end(manager, key, hold, settled);
    }
  }

  /** Charges a cost that no hold covers and that was just written to the ledger. */
  async chargeUnheld(manager: EntityManager, cost: Amount, { payer, at }: ChargedRequest): Promise<void> {
    const windowIds = await this.windowsFor(manager, await this.directory.applying(payer, at), at);
    if (windowIds.length > 0) {
      await lockRows(manager, BudgetWindowEntity, windowIds);
      await this.notices.settled(manager, await settle(manager, windowIds, { cost, held: 0n, percent: 0 }));
    }
  }

  /**
   * Charges the cost of a request while its hold stays for another one. The cost was just written to the ledger.
   *
   * @param hold null if no budget applied when the request started
   * @throws NoRoomLeft
   */
  async spendReplaced(manager: EntityManager, hold: Hold | null, cost: Amount, request: ChargedRequest): Promise<void> {
    await this.charge(manager, null, { cost, isUncertain: false }, request, hold);
    if (hold === null || cost === 0n) {
      return;
    }
    const ids = (await windowsOf(manager, hold.windowIds)).map(({ id }) => id);
    if (ids.length === 0) {
      return;
    }
    if (!(await reserve(manager, ids, cost))) {
      throw new NoRoomLeft();
    }
    const percent = await this.notices.lowestPercent(hold.budgetIds);
    await this.notices.settled(manager, await settle(manager, ids, { cost, held: cost, percent }));
  }

  private async lateWindows(
    manager: EntityManager,
    { payer, at }: ChargedRequest,
    held: StoredHold | null,
  ): Promise<number[]> {
    const late = await this.directory.applyingLate(payer, at, held?.budgetIds ?? []);
    const ids = await this.windowsFor(manager, late, at);
    return ids.filter((id) => !held?.windowIds.includes(id));
  }

  /**
   * Excludes budgets whose windows do not exist yet, because a new window includes the earlier spending from the
   * ledger.
   */
  private async windowsFor(manager: EntityManager, budgets: readonly AppliedBudget[], at: Date): Promise<number[]> {
    if (budgets.length === 0) {
      return [];
    }
    // Code that creates one of their windows waits for this lock, or has already created it.
    await lockRows(
      manager,
      BudgetEntity,
      budgets.map(({ budget }) => budget.id),
    );
    const ids: number[] = [];
    for (const one of budgets) {
      const window = await this.windows.find({ ...one, at }, manager);
      ids.push(...(window === null ? [] : [window.id]));
    }
    return ids.sort((one, other) => one - other);
  }

  private async end(
    manager: EntityManager,
    { messageId, name }: HoldKey,
    hold: StoredHold | null,
    { cost, isUncertain }: SettledCost,
  ): Promise<void> {
    if (hold === null) {
      return;
    }
    const least = isUncertain ? hold.least : 0n;
    const spent = cost !== null && cost > least ? cost : least;
    const percent = hold.budgetIds ? await this.notices.lowestPercent(hold.budgetIds) : 0;
    const near = await settle(
      manager,
      hold.windowIds,
      { cost: spent, held: hold.amount, percent },
      deletionOf(manager, BudgetHoldEntity, { messageId, name }),
    );
    await this.notices.settled(manager, near);
  }

  private async read(manager: EntityManager, { messageId, name }: HoldKey): Promise<StoredHold | null> {
    const rows = await findRows(manager, BudgetHoldEntity, { messageId, name }, { lock: 'wait' });
    const [first] = rows;
    return first === undefined
      ? null
      : {
          windowIds: rows
            .flatMap(({ windowId, otherWindowIds }) => [windowId, ...(otherWindowIds ?? [])])
            .sort((one, other) => one - other),
          amount: fromStored(first.units, first.picos),
          least: fromStored(first.leastUnits, first.leastPicos),
        };
  }
}
