/**
 * Money without rounding: an amount is a whole number of pico-units of the currency (10⁻¹²). A price is a whole number of
 * micro-units for a million tokens, so that price × tokens is a whole number of pico-units. Doubles never hold an amount.
 */
export type Amount = bigint;

/** Digits after the point of an amount. */
export const AMOUNT_DECIMALS = 12;

/** Digits after the point of a price. */
export const PRICE_DECIMALS = 6;

export const PICOS_IN_UNIT = 10n ** 12n;
export const PICOS_IN_MICRO = 10n ** 6n;
export const MICROS_IN_UNIT = 10n ** 6n;

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Reads a decimal text such as `0.0025` as a whole number of its smallest parts.
 *
 * @param decimals how many digits after the point count: 12 gives pico-units, 6 micro-units; zeros may follow them
 * @returns null when it is no such number, or has more digits after the point
 */
export function parseDecimal(text: string, decimals: number = AMOUNT_DECIMALS): bigint | null {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  const kept = fraction.replace(/0+$/, '');
  if (whole === '' || kept.length > decimals) {
    return null;
  }
  const parts = BigInt(whole + kept.padEnd(decimals, '0'));
  return sign === '-' ? -parts : parts;
}

/** The decimal text of so many smallest parts: without exponent, and without zeros at its end. */
export function formatDecimal(parts: bigint, decimals: number = AMOUNT_DECIMALS): string {
  const digits = (parts < 0n ? -parts : parts).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${parts < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The same for an amount that may be unknown: null stays null, because no price is not a price of zero. */
export function formatAmount(amount: Amount): string;
export function formatAmount(amount: Amount | null): string | null;
export function formatAmount(amount: Amount | null): string | null {
  return amount === null ? null : formatDecimal(amount);
}

/** The sum of those that are known; null when none is. */
export function addAmounts(one: Amount | null, other: Amount | null): Amount | null {
  return one === null ? other : one + (other ?? 0n);
}
