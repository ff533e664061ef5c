import { PRICE_DECIMALS } from '../../../common/money/amount';

const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Longest number that may be a price, in characters. Parsing more digits takes more than linear time. */
const LONGEST_NUMBER = 100;

/** Digits that a double represents exactly. Further digits may be rounding noise, as in 0.30000000000000004. */
const EXACT_DIGITS = 15;

/** A number of a file as a whole number of micro-units. */
export interface FileMicros {
  micros: bigint;
  /** Whether the conversion rounded it, half up. */
  isRounded: boolean;
}

/**
 * A number of a file in micro-units. Null if it is negative, not a number, or no whole micro-unit in its own currency,
 * even without rounding noise. Only converted numbers are rounded.
 *
 * @param shift digits by which the point moves to the right: 6 converts the price of a token to that of a million
 * @param rate micro-units of COST_CURRENCY for one of the file's currency
 */
export function toMicros(value: unknown, shift: number, rate: ExchangeRate): FileMicros | null {
  const written = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (written.length > LONGEST_NUMBER) {
    return null;
  }
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(shortest(written)) ?? [];
  if (whole === undefined) {
    return null;
  }
  const digits = BigInt(whole + fraction);
  // Exponents are added as bigints, because they may exceed those of any price.
  const places = BigInt(exponent) + BigInt(shift + PRICE_DECIMALS - fraction.length - rate.decimals);
  const read = scaled(digits * rate.numerator, places);
  if (!read.isRounded || rate.isConverted) {
    return read;
  }
  const clean = scaled(withoutNoise(digits) * rate.numerator, places);
  return clean.isRounded ? null : clean;
}

/** The shortest decimal that gives the same double, for a number with more digits than a double has. */
function shortest(written: string): string {
  const [digits = ''] = /^[\d.]+/.exec(written) ?? [];
  return digits.length > EXACT_DIGITS ? String(+written) : written;
}

/** Moves the point to the right, and rounds half up to a whole number. */
function scaled(digits: bigint, places: bigint): FileMicros {
  if (places >= 0n) {
    return { micros: digits * 10n ** places, isRounded: false };
  }
  const divisor = 10n ** -places;
  return { micros: (2n * digits + divisor) / (2n * divisor), isRounded: digits % divisor !== 0n };
}

function withoutNoise(digits: bigint): bigint {
  const beyond = String(digits).length - EXACT_DIGITS;
  if (beyond <= 0) {
    return digits;
  }
  const unit = 10n ** BigInt(beyond);
  return ((digits + unit / 2n) / unit) * unit;
}

/**
 * The value of one unit of the file's currency in COST_CURRENCY: `numerator`, with the point this many digits from its
 * end.
 */
export interface ExchangeRate {
  numerator: bigint;
  decimals: number;
  /** Whether the file has another currency, so that its prices may be no whole micro-units after the conversion. */
  isConverted: boolean;
}

export const SAME_CURRENCY: ExchangeRate = { numerator: 1n, decimals: 0, isConverted: false };

/** @param text a decimal number above zero */
export function toExchangeRate(text: string): ExchangeRate {
  const [whole = '', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), decimals: fraction.length, isConverted: true };
}
