import { PRICE_DECIMALS } from '../../../common/money/amount';

const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Characters of a number that may be a price. To read more digits takes a time that grows faster than their number. */
const LONGEST_NUMBER = 100;

/** Digits of which a double keeps each. What follows is noise of a calculation, as in 0.30000000000000004. */
const EXACT_DIGITS = 15;

/** A number of a file as a whole number of micro-units. */
export interface FileMicros {
  micros: bigint;
  /** Whether its conversion was rounded, half up. */
  isRounded: boolean;
}

/**
 * A number of a file in micro-units: its digits as they are written, the shortest that mean it. Null when it is none that is not
 * negative, or no whole micro-unit in its own currency. Only what is converted is rounded.
 *
 * @param shift digits by which the point moves to the right: 6 makes of the price of a token that of a million
 * @param rate micro-units of our currency for one of the file's
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
  // Powers are added as bigints: an exponent may be larger than anything that is a price.
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

/** How much of our currency is one unit of the file's: `numerator` with the point so many digits from its end. */
export interface ExchangeRate {
  numerator: bigint;
  decimals: number;
  /** Whether the file has another currency, so that what it says is no whole micro-unit of ours. */
  isConverted: boolean;
}

export const SAME_CURRENCY: ExchangeRate = { numerator: 1n, decimals: 0, isConverted: false };

/** @param text of a decimal number above zero */
export function toExchangeRate(text: string): ExchangeRate {
  const [whole = '', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), decimals: fraction.length, isConverted: true };
}
