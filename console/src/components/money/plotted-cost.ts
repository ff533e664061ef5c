import { formatMoney } from '../../app/i18n/money';

/** Costs can be far below one currency unit. */
export const SMALLEST_COST = 0.000001;

/** The height of a cost in a chart, where a rounded number is enough. Null if no price is known. */
export function costHeight(cost: string | null): number | null {
  return cost === null ? null : Number(cost);
}

/** Formats the heights for the axis and the table. */
export function costFormat(currency = 'USD'): (height: number) => string {
  return (height) => formatMoney(height.toFixed(6), currency);
}
