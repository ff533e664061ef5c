import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { fromStored } from '../windows/stored-amount';
import { settle } from '../windows/window-statements';
import { BudgetHoldEntity } from './budget-hold.entity';
import { BudgetNotices } from './budget-notices';
import type { HoldKey } from './hold';

/** What a request has cost, as far as it is known. */
export interface SettledCost {
  /** Null: unknown, because the model has no price. */
  cost: Amount | null;
  /** Whether nobody learned how the request went: then its prompt counts at least, because it may have left. */
  isUncertain: boolean;
}

/** Ends holds, and spends what was really paid. All methods run within `Database.write`. */
@Injectable()
export class BudgetSettlement {
  constructor(private readonly notices: BudgetNotices) {}

  /** A hold is settled once, whoever comes first. Where there is none, nothing happens. */
  async settle(
    manager: EntityManager,
    { messageId, name }: HoldKey,
    { cost, isUncertain }: SettledCost,
  ): Promise<void> {
    const holds = await findRows(manager, BudgetHoldEntity, { messageId, name }, { lock: 'wait' });
    const [first] = holds;
    if (first === undefined) {
      return;
    }
    await deleteRows(manager, BudgetHoldEntity, { messageId, name });
    const least = isUncertain ? fromStored(first.leastUnits, first.leastPicos) : 0n;
    const spent = cost !== null && cost > least ? cost : least;
    const ids = holds.map(({ windowId }) => windowId).sort((one, other) => one - other);
    const windows = await settle(manager, ids, spent, fromStored(first.units, first.picos));
    await this.notices.settled(manager, windows);
  }
}
