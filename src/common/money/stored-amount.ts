import { type Amount, MICROS_IN_UNIT, PICOS_IN_MICRO, PICOS_IN_UNIT } from './amount';

/**
 * An amount as columns of whole numbers: units, and the remainder in two parts below a million. Databases add each column by
 * itself; even of a year's rows no sum reaches 2^53, so no driver rounds it. The sum of an amount is the sum of its parts:
 * remainders of sums may pass a million.
 */
export interface AmountParts {
  units: bigint;
  /** Millionths of a unit. */
  micros: bigint;
  /** Millionths of those. */
  picos: bigint;
}

/** The parts of an amount that is not negative. */
export function toParts(amount: Amount): AmountParts {
  const remainder = amount % PICOS_IN_UNIT;
  return { units: amount / PICOS_IN_UNIT, micros: remainder / PICOS_IN_MICRO, picos: remainder % PICOS_IN_MICRO };
}

export function fromParts({ units, micros, picos }: AmountParts): Amount {
  return (units * MICROS_IN_UNIT + micros) * PICOS_IN_MICRO + picos;
}

/**
 * A whole number as drivers return it: a number, a bigint, or text, which may be a sum that is null.
 *
 * @throws RangeError for a number that may have been rounded
 */
export function toWhole(stored: unknown): bigint {
  if (typeof stored === 'number' && !Number.isSafeInteger(stored)) {
    throw new RangeError(`The database returned ${stored}, which may have been rounded.`);
  }
  return stored === null || stored === undefined ? 0n : BigInt(stored as number | bigint | string);
}
