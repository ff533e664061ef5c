import { formatMoney } from '../../app/i18n/money';

/** Costs can be far below one unit. */
export const SMALLEST_COST = 0.000001;

/** How high a cost stands in a plot: a picture needs no exact digits. Null: nothing of it has a price. */
export function costHeight(cost: string | null): number | null {
  return cost === null ? null : Number(cost);
}

/** Writes such heights, beside the plot. */
export function costFormat(currency = 'USD'): (height: number) => string {
  return (height) => formatMoney(height.toFixed(6), currency);
}
