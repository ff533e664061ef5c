import { randomUUID } from 'node:crypto';

/** Stands for a number while JSON is made. Nobody outside knows it, so no text can be taken for a number. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}([\\d.]+)"`, 'g');

/** Whether JSON is made that has the digits of its exact numbers. */
let isExact = false;
/** Whether it has any. */
let isMarked = false;

/** A number whose digits are written as they are. JavaScript would round it, or write it with an exponent. */
class ExactNumber {
  constructor(private readonly digits: string) {}

  toJSON(): unknown {
    isMarked = isExact;
    return isExact ? MARK + this.digits : JSON.parse(this.digits);
  }
}

/** @param digits of a decimal number that is not negative, without exponent; for a place where `toExactJson` makes the JSON */
export function exactNumber(digits: string): number {
  return new ExactNumber(digits) as unknown as number;
}

/** The value as JSON, with the digits of its exact numbers. */
export function toExactJson(value: unknown): string {
  isExact = true;
  isMarked = false;
  try {
    const json = JSON.stringify(value);
    return isMarked ? json.replace(MARKED, '$1') : json;
  } finally {
    isExact = false;
  }
}
