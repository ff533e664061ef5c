import type { GuardSpan } from './guard-check';

/** The number of spans of each type. */
export function countTypes(spans: readonly GuardSpan[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of spans) {
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/**
 * The places of a text in code points, which guards use, and in UTF-16 code units, which the service uses. The two only
 * differ if the text has characters of two units.
 */
export class TextPlaces {
  /** The first unit of each code point, and the end. Null: both are the same. */
  private readonly starts: readonly number[] | null;
  readonly codePoints: number;

  constructor(text: string) {
    this.starts = /[\ud800-\udfff]/.test(text) ? startsOf(text) : null;
    this.codePoints = this.starts === null ? text.length : this.starts.length - 1;
  }

  toUnits(codePoint: number): number {
    return this.starts === null ? codePoint : (this.starts[codePoint] ?? NaN);
  }

  /** @param unit the first of a character, or the end of the text */
  toCodePoint(unit: number): number {
    if (this.starts === null) {
      return unit;
    }
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] as number) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function startsOf(text: string): number[] {
  const starts: number[] = [];
  let unit = 0;
  for (const character of text) {
    starts.push(unit);
    unit += character.length;
  }
  return [...starts, unit];
}
