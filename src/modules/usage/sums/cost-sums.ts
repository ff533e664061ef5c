import { type Amount, formatAmount } from '../../../common/money/amount';
import { fromParts, toWhole } from '../../../common/money/stored-amount';

/** What requests to models cost together. */
export interface CostSum {
  /** Of those that have a price. */
  amount: Amount;
  /** How many have one. */
  priced: number;
  /** How many have none. */
  unpriced: number;
  /** Tokens that were used. Those of the time before costs were reckoned belong to no request. */
  tokens: number;
}

/** Nothing was asked. */
export const NO_COST: Readonly<CostSum> = { amount: 0n, priced: 0, unpriced: 0, tokens: 0 };

/** The columns with which sums of costs are stored, the same in every table of sums. */
export const COST_COLUMNS = ['priced', 'unpriced', 'cost_units', 'cost_micros', 'cost_picos'] as const;

/** A row of the ledger of costs as these columns. */
export const COST_OF_ROW = `
  CASE WHEN cost_units IS NULL THEN 0 ELSE 1 END AS priced, CASE WHEN cost_units IS NULL THEN 1 ELSE 0 END AS unpriced,
  COALESCE(cost_units, 0) AS cost_units, COALESCE(cost_micros, 0) AS cost_micros, COALESCE(cost_picos, 0) AS cost_picos`;

/** What has no cost of its own, as these columns. */
export const COST_OF_NOTHING = COST_COLUMNS.map((column) => `0 AS ${column}`).join(', ');

/** Reads the sums of these columns. @param tokens that were used */
export function toCostSum(sums: readonly unknown[], tokens: number): CostSum {
  const [priced = 0n, unpriced = 0n, units = 0n, micros = 0n, picos = 0n] = sums.map(toWhole);
  return { amount: fromParts({ units, micros, picos }), priced: toCount(priced), unpriced: toCount(unpriced), tokens };
}

/** Sums of different requests together. */
export function addCosts(one: CostSum, other: CostSum): CostSum {
  return {
    amount: one.amount + other.amount,
    priced: one.priced + other.priced,
    unpriced: one.unpriced + other.unpriced,
    tokens: one.tokens + other.tokens,
  };
}

/** What is known of it; null: something was used, and nothing of it has a price. */
export function costText({ amount, priced, unpriced, tokens }: CostSum): string | null {
  return priced > 0 || (unpriced === 0 && tokens === 0) ? formatAmount(amount) : null;
}

/** A number of rows, which is no money. */
function toCount(rows: bigint): number {
  return +rows.toString();
}
