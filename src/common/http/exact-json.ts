import { randomUUID } from 'node:crypto';

/** Stands for a number while JSON is made. Nobody outside knows it, so no text can be taken for a number. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}([\\d.]+)"`, 'g');

/** What happens while JSON is made. */
const making = {
  /** Whether exact numbers keep their digits. */
  isExact: false,
  /** How many there were. */
  marks: 0,
};

/** A number whose digits are written as they are. JavaScript would round it, or write it with an exponent. */
class ExactNumber {
  constructor(private readonly digits: string) {}

  toJSON(): unknown {
    making.marks++;
    return making.isExact ? MARK + this.digits : JSON.parse(this.digits);
  }
}

/** @param digits of a decimal number that is not negative, without exponent; for a place where `toExactJson` makes the JSON */
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
