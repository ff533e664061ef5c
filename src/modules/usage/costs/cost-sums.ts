import { addAmounts, type Amount, formatAmount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';

/** What requests to models cost together. */
export interface CostSum {
  /** Of those that have a price; null: none has. */
  cost: Amount | null;
  /** How many have none. */
  unpriced: number;
}

/** Nothing was asked. */
export const NO_COST: Readonly<CostSum> = { cost: 0n, unpriced: 0 };

/** The columns with which sums of costs are stored, the same in every table of sums. */
export const COST_COLUMNS = ['priced', 'unpriced', 'cost_units', 'cost_micros', 'cost_picos'] as const;

/** A row of the ledger of costs as these columns. */
export const COST_OF_ROW = `
  CASE WHEN cost_units IS NULL THEN 0 ELSE 1 END AS priced, CASE WHEN cost_units IS NULL THEN 1 ELSE 0 END AS unpriced,
  COALESCE(cost_units, 0) AS cost_units, COALESCE(cost_micros, 0) AS cost_micros, COALESCE(cost_picos, 0) AS cost_picos`;

/** What has no cost of its own, as these columns. */
export const COST_OF_NOTHING = COST_COLUMNS.map((column) => `0 AS ${column}`).join(', ');

/**
 * Reads the sums of these columns. Tokens that were used before costs were reckoned have none, which is not zero.
 *
 * @param tokens that were used
 */
export function toCostSum(sums: readonly unknown[], tokens = 0): CostSum {
  const [priced, unpriced, units, micros, picos] = sums.map(toWhole);
  const isKnown = (priced ?? 0n) > 0n || ((unpriced ?? 0n) === 0n && tokens === 0);
  const cost = fromParts({ units: units ?? 0n, micros: micros ?? 0n, picos: picos ?? 0n });
  return { cost: isKnown ? cost : null, unpriced: toCount(unpriced ?? 0n) };
}

/** Sums of different requests together. */
export function addCosts(one: CostSum, other: CostSum): CostSum {
  return { cost: addAmounts(one.cost, other.cost), unpriced: one.unpriced + other.unpriced };
}

/** A number of rows, which is no money. */
function toCount(rows: bigint): number {
  return +rows.toString();
}

export function costText({ cost }: Pick<CostSum, 'cost'>): string | null {
  return formatAmount(cost);
}
