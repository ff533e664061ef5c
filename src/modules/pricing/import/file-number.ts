import { PRICE_DECIMALS } from '../../../common/money/amount';

const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Characters of a number that may be a price. To read more digits takes a time that grows faster than their number. */
const LONGEST_NUMBER = 100;

/**
 * A number of a file as a whole number of micro-units: its digits as they are written, the shortest that mean it. Null when it
 * is none that is not negative, or no whole micro-unit.
 *
 * @param shift digits by which the point moves to the right: 6 makes of the price of a token that of a million
 * @param rate micro-units of our currency for one of the file's
 */
export function toMicros(value: unknown, shift: number, rate: ExchangeRate): bigint | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (text.length > LONGEST_NUMBER) {
    return null;
  }
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined) {
    return null;
  }
  const digits = BigInt(whole + fraction) * rate.numerator;
  // Powers are added as bigints: an exponent may be larger than anything that is a price.
  const places = BigInt(exponent) + BigInt(shift + PRICE_DECIMALS - fraction.length - rate.decimals);
  if (places >= 0n) {
    return digits * 10n ** places;
  }
  const divisor = 10n ** -places;
  return digits % divisor === 0n ? digits / divisor : null;
}

/** How much of our currency is one unit of the file's: `numerator` with the point so many digits from its end. */
export interface ExchangeRate {
  numerator: bigint;
  decimals: number;
}

export const SAME_CURRENCY: ExchangeRate = { numerator: 1n, decimals: 0 };

/** @param text of a decimal number above zero */
export function toExchangeRate(text: string): ExchangeRate {
  const [whole = '', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), decimals: fraction.length };
}
