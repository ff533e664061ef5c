import { isFirstHalf } from '../../../common/text/surrogate-pairs';
import { findMasks, joinSpans, type Masks, type TypedSpan } from '../../guard/guard.api';

/** A mask that an output guard inserted. It is never replaced by its value. */
export interface OutputMask {
  mask: string;
}

/** A piece of a model's output: text, a mask of a guard, or the number of a cited passage. */
export type OutputPiece = string | OutputMask | number;

/** One call of a guard for a part that grows. */
export interface WindowCheck {
  text: string;
  /** Characters of the part before the text. */
  offset: number;
  /** Whether the part ends with the text. */
  final: boolean;
}

export interface WindowVerdict {
  action: 'allow' | 'mask' | 'block';
  /** In UTF-16 code units. */
  spans: readonly TypedSpan[];
}

/** Thrown when a guard blocks output. */
export class OutputBlockedError extends Error {
  override readonly name = 'OutputBlockedError';
}

/** A place in the unreleased text. */
interface Fixed {
  start: number;
  end: number;
  piece: OutputMask | number;
}

/**
 * Releases the output of a model for one guard. The guard sees each character together with the `window` characters that
 * follow, or the end of the part. So a value of up to `window` characters never leaves in pieces, however the provider
 * splits it.
 */
export class WindowRelease {
  private text = '';
  /** Masks and citations in the unreleased text. */
  private fixed: Fixed[] = [];
  /** The first half of a character whose second half has not arrived. */
  private half = '';
  /** Characters of the unreleased text. */
  private length = 0;
  /** Characters of it since the last call. */
  private fresh = 0;

  /**
   * @param window in characters (code points). 0: the guard is called once, with the whole part
   * @param before the last released characters of the same reply
   */
  constructor(
    private readonly window: number,
    private readonly masks: Pick<Masks, 'has' | 'maskFor'>,
    private readonly check: (part: WindowCheck) => Promise<WindowVerdict>,
    private before: ReleasedText = { text: '', length: 0 },
  ) {
    this.before = { ...before, text: lastCharacters(before.text, window) };
  }

  /** @returns what is released because of it */
  async take(pieces: readonly OutputPiece[]): Promise<OutputPiece[]> {
    pieces.forEach((piece) => this.add(piece));
    return this.window > 0 && this.fresh >= this.window ? this.callGuard(false) : [];
  }

  /** Ends the part. More text of the same reply is a new part. */
  async end(): Promise<OutputPiece[]> {
    this.addText(this.half);
    this.half = '';
    return this.length > 0 ? this.callGuard(true) : this.release(this.text.length, []);
  }

  /** The unreleased text. */
  get rest(): string {
    return this.text + this.half;
  }

  private add(piece: OutputPiece): void {
    if (typeof piece === 'string') {
      const text = this.half + piece;
      this.half = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
      this.addText(this.half === '' ? text : text.slice(0, -1));
    } else {
      const start = this.text.length;
      this.addText(typeof piece === 'number' ? '' : piece.mask);
      this.fixed.push({ start, end: this.text.length, piece });
    }
  }

  private addText(text: string): void {
    const length = lengthOf(text);
    this.text += text;
    this.length += length;
    this.fresh += length;
  }

  private async callGuard(final: boolean): Promise<OutputPiece[]> {
    const { text: earlier, length } = this.before;
    this.fresh = 0;
    const text = earlier + this.text;
    const { action, spans } = await this.check({ text, offset: length - lengthOf(earlier), final });
    if (action === 'block') {
      throw new OutputBlockedError();
    }
    const found = action === 'mask' ? this.toMask(spans, earlier.length) : [];
    return this.release(final ? this.text.length : this.releasable(found), found);
  }

  /** The findings in the unreleased text. A span that touches a mask is dropped. */
  private toMask(spans: readonly TypedSpan[], shift: number): TypedSpan[] {
    const masks = [
      ...findMasks(this.text).filter(({ mask }) => this.masks.has(mask)),
      ...this.fixed.filter(({ start, end }) => start < end),
    ];
    const own = spans
      .map((span) => ({ ...span, start: Math.max(0, span.start - shift), end: span.end - shift }))
      .filter(({ start, end }) => start < end && !masks.some((mask) => mask.start < end && mask.end > start));
    return joinSpans(own);
  }

  /** How much can be released: all but the last `window` characters, without splitting a finding or a mask. */
  private releasable(found: readonly TypedSpan[]): number {
    const end = this.text.length - lastCharacters(this.text, this.window).length;
    const masks = findMasks(this.text).filter(({ mask }) => this.masks.has(mask));
    const within = [...found, ...this.fixed, ...masks].find((place) => place.start < end && place.end > end);
    return within?.start ?? end;
  }

  private release(end: number, found: readonly TypedSpan[]): OutputPiece[] {
    const { text } = this;
    const masks = found
      .filter((span) => span.end <= end)
      .map(({ start, end: until, type }) => ({
        start,
        end: until,
        piece: { mask: this.masks.maskFor(text.slice(start, until), type, 'none') },
      }));
    const due = this.fixed.filter((place) => place.end <= end);
    const places: Fixed[] = [...masks, ...due].toSorted((one, other) => one.start - other.start);
    const pieces: OutputPiece[] = [];
    let from = 0;
    for (const { start, end: until, piece } of places) {
      // A citation within a finding follows its mask.
      pieces.push(...(start > from ? [text.slice(from, start)] : []), piece);
      from = Math.max(from, until);
    }
    pieces.push(...(end > from ? [text.slice(from, end)] : []));
    this.keepRest(end, due.length, pieces);
    return pieces;
  }

  private keepRest(end: number, due: number, released: readonly OutputPiece[]): void {
    const { text, length } = withPieces(this.before, released);
    this.before = { text: lastCharacters(text, this.window), length };
    this.text = this.text.slice(end);
    this.fixed = this.fixed.slice(due).map((place) => ({ ...place, start: place.start - end, end: place.end - end }));
    this.length = lengthOf(this.text);
  }
}

/** Text of a reply that is released already. */
export interface ReleasedText {
  /** Its end, with masks. */
  text: string;
  /** Its length in characters. */
  length: number;
}

/** Longest window of a guard, in characters. */
const LONGEST_WINDOW = 4_000;

/** The released text with these pieces after it. */
export function withPieces({ text, length }: ReleasedText, pieces: readonly OutputPiece[]): ReleasedText {
  const added = pieces.map(shownText).join('');
  return { text: lastCharacters(text + added, LONGEST_WINDOW), length: length + lengthOf(added) };
}

/** What a guard sees of a piece. */
export function shownText(piece: OutputPiece): string {
  return typeof piece === 'string' ? piece : typeof piece === 'number' ? '' : piece.mask;
}

/** Characters (code points) of a text. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) {
    length++;
  }
  return length;
}

/** The last characters of a text. */
function lastCharacters(text: string, count: number): string {
  let start = text.length;
  for (let index = 0; index < count && start > 0; index++) {
    start -= (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(start);
}
