import { type Amount, PICOS_IN_UNIT } from '../../../common/money/amount';

/** An amount as two columns: databases and drivers keep both exactly, however large the currency's numbers are. */
export interface StoredAmount {
  units: number;
  /** Below a unit: fewer than 10^12. */
  picos: number;
}

/** The columns of an amount that is not negative. */
export function toStored(amount: Amount): StoredAmount {
  return { units: Number(amount / PICOS_IN_UNIT), picos: Number(amount % PICOS_IN_UNIT) };
}

export function fromStored(units: number, picos: number): Amount {
  return BigInt(units) * PICOS_IN_UNIT + BigInt(picos);
}
