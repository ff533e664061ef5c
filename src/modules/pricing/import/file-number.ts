import { PRICE_DECIMALS } from '../../../common/money/amount';

const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Longest number that may be a price, in characters. Parsing more digits takes more than linear time. */
const LONGEST_NUMBER = 100;

/** Digits that a double represents exactly. Further digits are rounding noise, as in 0.30000000000000004. */
const EXACT_DIGITS = 15;

/** A number of a file as a whole number of micro-units. */
export interface FileMicros {
  micros: bigint;
  /** Whether the conversion rounded it, half up. */
  isRounded: boolean;
}

/**
 * A number of a file in micro-units, from its shortest decimal notation. Null if it is negative, not a number, or no
 * whole micro-unit in its own currency. Only converted numbers are rounded.
 *
 * @param shift digits by which the point moves to the right: 6 converts the price of a token to that of a million
 * @param rate micro-units of COST_CURRENCY for one of the file's currency
 */
export function toMicros(value: unknown, shift: number, rate: ExchangeRate): FileMicros | null {
  const written = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (written.length > LONGEST_NUMBER) {
    return null;
  }
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(written) ?? [];
  if (whole === undefined) {
    return null;
  }
  const digits = withoutNoise(BigInt(whole + fraction)) * rate.numerator;
  // Exponents are added as bigints, because they may exceed those of any price.
  const places = BigInt(exponent) + BigInt(shift + PRICE_DECIMALS - fraction.length - rate.decimals);
  if (places >= 0n) {
    return { micros: digits * 10n ** places, isRounded: false };
  }
  const divisor = 10n ** -places;
  const isRounded = digits % divisor !== 0n;
  return isRounded && !rate.isConverted
    ? null
    : { micros: isRounded ? (2n * digits + divisor) / (2n * divisor) : digits / divisor, isRounded };
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
