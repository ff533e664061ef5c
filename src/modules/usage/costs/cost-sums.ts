import { type Amount, formatAmount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';

/** The total cost of model requests. */
export interface CostSum {
  /** Total of the requests with a price. */
  amount: Amount;
  /** Number of requests with a price. */
  priced: number;
  /** Number of requests without a price. */
  unpriced: number;
  /** Tokens used. Tokens from before costs were recorded belong to no request. */
  tokens: number;
}

/** The sum of no requests. */
export const NO_COST: Readonly<CostSum> = { amount: 0n, priced: 0, unpriced: 0, tokens: 0 };

/** The columns that store cost sums, the same in every table of sums. */
export const COST_COLUMNS = ['priced', 'unpriced', 'cost_units', 'cost_micros', 'cost_picos'] as const;

/** A row of the cost ledger as these columns. */
export const COST_OF_ROW = `
  CASE WHEN cost_units IS NULL THEN 0 ELSE 1 END AS priced, CASE WHEN cost_units IS NULL THEN 1 ELSE 0 END AS unpriced,
  COALESCE(cost_units, 0) AS cost_units, COALESCE(cost_micros, 0) AS cost_micros, COALESCE(cost_picos, 0) AS cost_picos`;

/** These columns for rows without a cost. */
export const COST_OF_NOTHING = COST_COLUMNS.map((column) => `0 AS ${column}`).join(', ');

/**
 * Reads the sums of these columns.
 *
 * @param tokens tokens used
 */
export function toCostSum(sums: readonly unknown[], tokens: number): CostSum {
  const [priced = 0n, unpriced = 0n, units = 0n, micros = 0n, picos = 0n] = sums.map(toWhole);
  return { amount: fromParts({ units, micros, picos }), priced: toCount(priced), unpriced: toCount(unpriced), tokens };
}

/** Adds the sums of different requests. */
export function addCosts(one: CostSum, other: CostSum): CostSum {
  return {
    amount: one.amount + other.amount,
    priced: one.priced + other.priced,
    unpriced: one.unpriced + other.unpriced,
    tokens: one.tokens + other.tokens,
  };
}

/** The known cost. Null if something was used but nothing has a price. */
export function costText({ amount, priced, unpriced, tokens }: CostSum): string | null {
  return priced > 0 || (unpriced === 0 && tokens === 0) ? formatAmount(amount) : null;
}

/** Converts a number of rows, which is not an amount of money. */
function toCount(rows: bigint): number {
  return +rows.toString();
}
