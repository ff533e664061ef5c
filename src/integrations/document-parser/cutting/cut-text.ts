import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { PageStart, TextHeading } from '../reading/document-text';
import { Cut, partsOf, type TextUnit, textUnits } from './text-units';

/** Longest `heading` of a passage, in UTF-16 units. */
const LONGEST_HEADING = 200;

/** Longest unit, in UTF-16 units; the counter of tokens is slow for long runs without breaks. */
const LONGEST_UNIT = 400;

/** How long the passages are, in tokens. */
export interface CuttingRule {
  /** Tokens of a passage at most, from 100. */
  size: number;
  /** Tokens that a passage repeats of the one before, up to half of `size`. */
  overlap: number;
}

/** A piece of a text, without white space at its ends. */
export interface CutPassage {
  /** Offsets in UTF-16 units. */
  start: number;
  end: number;
  /** The page on which it begins; null without pages. */
  page: number | null;
  /** The headings above its beginning, joined by ` › `; null without headings. */
  heading: string | null;
  tokens: number;
}

interface CountedUnit extends TextUnit {
  tokens: number;
}

/**
 * Cuts a text into passages. Every character that is not white space is in at least one. A passage ends at the best
 * place in its second half: before a heading, at a blank line, the end of a line or a sentence, a space. It repeats the
 * end of the passage before it, unless it begins with a heading.
 *
 * @param count the number of tokens of a short text
 */
export function* cutText(
  { text, headings, pages }: { text: string; headings: readonly TextHeading[]; pages: readonly PageStart[] },
  { size, overlap }: CuttingRule,
  count: (text: string) => number,
): Generator<CutPassage> {
  const places = new Places(headings, pages);
  let window: CountedUnit[] = [];
  let tokens = 0;
  /** Units of the window that are in a passage already. */
  let repeated = 0;
  for (const unit of countedUnits(text, headings, size, count)) {
    while (tokens + unit.tokens > size) {
      const cut = bestCut(window, Math.max(size / 2, tokensOf(window, repeated + 1)));
      yield* passageOf(text, window.slice(0, cut), repeated, places);
      const next = window[cut - 1]?.cut === Cut.Heading ? cut : repetition(window, cut, overlap);
      window = window.slice(next);
      repeated = cut - next;
      tokens = tokensOf(window, window.length);
    }
    window.push(unit);
    tokens += unit.tokens;
  }
  yield* passageOf(text, window, repeated, places);
}

function* countedUnits(
  text: string,
  headings: readonly TextHeading[],
  size: number,
  count: (text: string) => number,
): Generator<CountedUnit> {
  for (const unit of textUnits(text, headings, Math.min(LONGEST_UNIT, size * 2))) {
    yield* counted(text, unit, size >> 1, count);
  }
}

/** Divides units that have more tokens than allowed. */
function* counted(text: string, unit: TextUnit, most: number, count: (text: string) => number): Generator<CountedUnit> {
  const tokens = count(text.slice(unit.start, unit.end));
  const length = unit.end - unit.start;
  if (tokens <= most || length <= 2) {
    yield { ...unit, tokens };
    return;
  }
  for (const part of partsOf(text, unit, Math.max(2, length >> 1))) {
    // A part that is as long as its unit is one character.
    if (part.end - part.start >= length) {
      yield { ...part, tokens };
    } else {
      yield* counted(text, part, most, count);
    }
  }
}

/** How many units the passage takes: up to the best cut after `least` tokens, and of equal ones the last. */
function bestCut(window: readonly CountedUnit[], least: number): number {
  let best = window.length;
  let bestCutSoFar: Cut | -1 = -1;
  let tokens = 0;
  for (const [index, unit] of window.entries()) {
    tokens += unit.tokens;
    if (tokens >= least && unit.cut >= bestCutSoFar) {
      best = index + 1;
      bestCutSoFar = unit.cut;
    }
  }
  return best;
}

/** Where the next passage begins, so that it repeats at most `overlap` tokens. */
function repetition(window: readonly CountedUnit[], cut: number, overlap: number): number {
  let first = cut;
  for (let tokens = 0; first > 1; first--) {
    tokens += window[first - 1]?.tokens ?? 0;
    if (tokens > overlap) {
      break;
    }
  }
  return first;
}

function tokensOf(window: readonly CountedUnit[], length: number): number {
  let tokens = 0;
  for (let index = 0; index < Math.min(length, window.length); index++) {
    tokens += window[index]?.tokens ?? 0;
  }
  return tokens;
}

/** The passage of these units; none if all that it adds to the passage before is white space. */
function* passageOf(
  text: string,
  units: readonly CountedUnit[],
  repeated: number,
  places: Places,
): Generator<CutPassage> {
  const from = units[0]?.start ?? 0;
  const whole = text.slice(from, units.at(-1)?.end ?? 0);
  const start = from + whole.length - whole.trimStart().length;
  const end = from + whole.trimEnd().length;
  const isNew = end > (units[repeated]?.start ?? end);
  if (end > start && isNew) {
    yield { start, end, ...places.at(start), tokens: tokensOf(units, units.length) };
  }
}

/** Headings and pages of a place. Places are requested in their order. */
class Places {
  private readonly path: TextHeading[] = [];
  private heading = 0;
  private page = 0;

  constructor(
    private readonly headings: readonly TextHeading[],
    private readonly pages: readonly PageStart[],
  ) {}

  at(start: number): Pick<CutPassage, 'page' | 'heading'> {
    for (let next = this.headings[this.heading]; next && next.start <= start; next = this.headings[++this.heading]) {
      while ((this.path.at(-1)?.level ?? 0) >= next.level) {
        this.path.pop();
      }
      this.path.push(next);
    }
    while ((this.pages[this.page]?.start ?? Infinity) <= start) {
      this.page++;
    }
    const heading = beginningOf(this.path.map(({ title }) => title).join(' › '), LONGEST_HEADING);
    return { page: this.pages[this.page - 1]?.page ?? null, heading: heading || null };
  }
}
