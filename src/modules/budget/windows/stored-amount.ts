import { type Amount, PICOS_IN_UNIT } from '../../../common/money/amount';

/** An amount as two columns: databases keep both exactly, however large the currency's numbers are. */
export interface StoredAmount {
  units: bigint;
  /** Below a unit: fewer than 10^12. */
  picos: bigint;
}

/** The columns of an amount that is not negative. */
export function toStored(amount: Amount): StoredAmount {
  return { units: amount / PICOS_IN_UNIT, picos: amount % PICOS_IN_UNIT };
}

export function fromStored(units: bigint, picos: bigint): Amount {
  return units * PICOS_IN_UNIT + picos;
}
