import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { fromStored } from '../windows/stored-amount';
import { settle } from '../windows/window-statements';
import { BudgetHoldEntity } from './budget-hold.entity';
import { BudgetNotices } from './budget-notices';
import type { Hold, HoldKey } from './hold';

/** What a request has cost, as far as it is known. */
export interface SettledCost {
  /** Null: unknown, because the model has no price. */
  cost: Amount | null;
  /** Whether nobody learned how the request went: then its prompt counts at least, because it may have left. */
  isUncertain: boolean;
}

type StoredHold = Pick<Hold, 'windowIds' | 'amount' | 'least'> & Partial<Pick<Hold, 'budgetIds'>>;

/** Ends holds, and spends what was really paid. All methods run within `Database.write`. */
@Injectable()
export class BudgetSettlement {
  constructor(private readonly notices: BudgetNotices) {}

  /**
   * A hold is settled once, whoever comes first. Where there is none, nothing happens.
   *
   * @param key the hold, by whoever has it in memory: then it is not read
   */
  async settle(manager: EntityManager, key: HoldKey | Hold, { cost, isUncertain }: SettledCost): Promise<void> {
    const hold: StoredHold | null = 'windowIds' in key ? key : await this.read(manager, key);
    const { messageId, name } = key;
    if (hold === null || (await deleteRows(manager, BudgetHoldEntity, { messageId, name })) === 0) {
      return;
    }
    const least = isUncertain ? hold.least : 0n;
    const spent = cost !== null && cost > least ? cost : least;
    const percent = hold.budgetIds ? await this.notices.lowestPercent(hold.budgetIds) : 0;
    const near = await settle(manager, hold.windowIds, { cost: spent, held: hold.amount, percent });
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
