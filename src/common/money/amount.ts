/**
 * Exact money: an amount is a whole number of pico-units of the currency (10⁻¹²). A price is a whole number of
 * micro-units for a million tokens, so that price × tokens is a whole number of pico-units. Amounts are never doubles.
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
 * Parses a decimal text such as `0.0025` into a whole number of its smallest units.
 *
 * @param decimals how many digits after the point count: 12 for pico-units, 6 for micro-units; zeros may follow them
 * @returns null if it is no such number, or has more digits after the point
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

/** Formats a whole number of the smallest units as a decimal text, without exponent and without trailing zeros. */
export function formatDecimal(parts: bigint, decimals: number = AMOUNT_DECIMALS): string {
  const digits = (parts < 0n ? -parts : parts).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${parts < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Formats an amount that may be unknown. Null stays null, because an unknown price is not a price of zero. */
export function formatAmount(amount: Amount): string;
export function formatAmount(amount: Amount | null): string | null;
export function formatAmount(amount: Amount | null): string | null {
  return amount === null ? null : formatDecimal(amount);
}

/** The sum of the known amounts; null if none is known. */
export function addAmounts(one: Amount | null, other: Amount | null): Amount | null {
  return one === null ? other : one + (other ?? 0n);
}
