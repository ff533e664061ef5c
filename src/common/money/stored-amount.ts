import { type Amount, MICROS_IN_UNIT, PICOS_IN_MICRO, PICOS_IN_UNIT } from './amount';

/**
 * An amount as columns of whole numbers: units, and the remainder in two parts below a million. Databases sum each
 * column separately. Even the sum of a year's rows stays below 2^53, so no driver rounds it. The sum of amounts is the
 * sum of their parts; sums of remainders may exceed a million.
 */
export interface AmountParts {
  units: bigint;
  /** Millionths of a unit. */
  micros: bigint;
  /** Millionths of a micro-unit. */
  picos: bigint;
}

/** The parts of a non-negative amount. */
export function toParts(amount: Amount): AmountParts {
  const remainder = amount % PICOS_IN_UNIT;
  return { units: amount / PICOS_IN_UNIT, micros: remainder / PICOS_IN_MICRO, picos: remainder % PICOS_IN_MICRO };
}

export function fromParts({ units, micros, picos }: AmountParts): Amount {
  return (units * MICROS_IN_UNIT + micros) * PICOS_IN_MICRO + picos;
}

/**
 * Converts a whole number from a driver: a number, a bigint, or text. The sum of no rows is null.
 *
 * @throws RangeError if the number may have been rounded
 */
export function toWhole(stored: unknown): bigint {
  if (typeof stored === 'number' && !Number.isSafeInteger(stored)) {
    throw new RangeError(`The database returned ${stored}, which may have been rounded.`);
  }
  return stored === null || stored === undefined ? 0n : BigInt(stored as number | bigint | string);
}
