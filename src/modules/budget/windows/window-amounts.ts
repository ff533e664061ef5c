import { type Amount, PICOS_IN_UNIT } from '../../../common/money/amount';
import type { BudgetWindowEntity } from './budget-window.entity';

/** An amount as two columns, which every database stores exactly, even for currencies with large numbers. */
export interface StoredAmount {
  units: bigint;
  /** Fraction of a unit, less than 10^12. */
  picos: bigint;
}

/** The columns of a non-negative amount. */
export function toStored(amount: Amount): StoredAmount {
  return { units: amount / PICOS_IN_UNIT, picos: amount % PICOS_IN_UNIT };
}

export function fromStored(units: bigint, picos: bigint): Amount {
  return units * PICOS_IN_UNIT + picos;
}

type Limited = Pick<BudgetWindowEntity, 'limitUnits' | 'limitPicos'>;
type Spent = Pick<BudgetWindowEntity, 'spentUnits' | 'spentPicos'>;
type Reserved = Pick<BudgetWindowEntity, 'reservedUnits' | 'reservedPicos'>;

/** The amounts of a window. */
export interface WindowState {
  limit: Amount;
  spent: Amount;
  reserved: Amount;
}

export function limitOf({ limitUnits, limitPicos }: Limited): Amount {
  return fromStored(limitUnits, limitPicos);
}

export function spentOf({ spentUnits, spentPicos }: Spent): Amount {
  return fromStored(spentUnits, spentPicos);
}

export function reservedOf({ reservedUnits, reservedPicos }: Reserved): Amount {
  return fromStored(reservedUnits, reservedPicos);
}

/** The amount neither spent nor held. Negative if more than the limit was spent. */
export function remainingOf(window: Limited & Spent & Reserved): Amount {
  return limitOf(window) - spentOf(window) - reservedOf(window);
}

/** The highest of these percentages of the limit that spending has reached. 0 if there is none. */
export function percentReached(window: Limited & Spent, thresholds: readonly number[]): number {
  const [limit, spent] = [limitOf(window), spentOf(window)];
  return thresholds.findLast((percent) => spent > 0n && spent * 100n >= limit * BigInt(percent)) ?? 0;
}
