import { randomUUID } from 'node:crypto';

/** Marks a number while JSON is written. It is random, so that no text can be mistaken for a number. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}([\\d.]+)"`, 'g');

/** The state while JSON is written. */
const making = {
  /** Whether exact numbers keep their digits. */
  isExact: false,
  /** How many exact numbers were written. */
  marks: 0,
};

/** A number whose digits are written unchanged. JavaScript would round it, or write it with an exponent. */
class ExactNumber {
  constructor(private readonly digits: string) {}

  toJSON(): unknown {
    making.marks++;
    return making.isExact ? MARK + this.digits : JSON.parse(this.digits);
  }
}

/** @param digits of a non-negative decimal number, without exponent; only for values that `toExactJson` writes */
export function exactNumber(digits: string): number {
  return new ExactNumber(digits) as unknown as number;
}

/** The value as JSON, with the digits of its exact numbers. */
export function toExactJson(value: unknown): string {
  making.isExact = true;
  making.marks = 0;
  try {
    const json = JSON.stringify(value);
    return making.marks > 0 ? json.replace(MARKED, '$1') : json;
  } finally {
    making.isExact = false;
  }
}
