import { type Edit, editText, escapesIn, joinSpans, type MappedText, replaceMasks, type TypedSpan } from './mask-text';

/** Where the service replaces a mask by its value. `none`: found only in the output of a model, or not wanted. */
export type MaskRestoring = 'answer' | 'answer_and_tools' | 'none';

/** A finding to mask. */
export interface MaskSpan extends TypedSpan {
  restore: MaskRestoring;
}

/** A value and the mask that replaces it, such as `[EMAIL_1]`. */
export interface MaskPair {
  type: string;
  number: number;
  value: string;
  restore: MaskRestoring;
  /** Whether it has a row. Absent: not yet, or never. */
  isStored?: boolean;
}

/** What the value of a mask is needed for. */
export type MaskUse = 'answer' | 'tools';

/** The values of a conversation and their masks. The same value always has the same mask. */
export class Masks {
  private readonly byValue = new Map<string, MaskPair>();
  private readonly byMask = new Map<string, MaskPair>();
  private readonly numbers = new Map<string, number>();
  private readonly changed = new Set<MaskPair>();

  constructor(pairs: readonly MaskPair[] = []) {
    this.reload(pairs);
  }

  get isEmpty(): boolean {
    return this.byValue.size === 0;
  }

  /** New pairs, and pairs whose use has changed, since the last `markSaved`. */
  get unsaved(): readonly MaskPair[] {
    return [...this.changed];
  }

  markSaved(): void {
    this.changed.forEach((pair) => (pair.isStored = true));
    this.changed.clear();
  }

  /** Adds pairs that are stored. Unsaved ones are dropped, because another instance may have used their numbers. */
  reload(pairs: readonly MaskPair[]): void {
    this.byValue.clear();
    this.byMask.clear();
    this.numbers.clear();
    this.changed.clear();
    pairs.forEach((pair) => this.keep({ ...pair }));
  }

  has(mask: string): boolean {
    return this.byMask.has(mask);
  }

  /** The mask of a value. A new value gets the next number of its type. */
  maskFor(value: string, type: string, restore: MaskRestoring): string {
    const known = this.byValue.get(value);
    if (known !== undefined) {
      if (restore !== 'none' && known.restore !== restore) {
        known.restore = restore;
        this.changed.add(known);
      }
      return maskOf(known);
    }
    const pair = { type, number: (this.numbers.get(type) ?? 0) + 1, value, restore };
    this.keep(pair);
    this.changed.add(pair);
    return maskOf(pair);
  }

  /** A text from outside with these findings masked. Text that only looks like a mask is escaped. */
  apply(text: string, spans: readonly MaskSpan[]): string {
    return this.applyMapped(text, spans).text;
  }

  applyMapped(text: string, spans: readonly MaskSpan[]): MappedText {
    const masked = joinSpans(spans).map(({ start, end, type, restore }) => ({
      start,
      end,
      text: this.maskFor(text.slice(start, end), type, restore),
      isMask: true,
    }));
    return editEscaped(text, masked);
  }

  /** A text of the conversation's own replies with all known values masked. */
  applyKnown(text: string): string {
    return this.replaceKnown(text, (value) => value);
  }

  /** The same for JSON, within whose strings the values are. */
  applyKnownJson(json: string): string {
    return this.replaceKnown(json, inJson);
  }

  private replaceKnown(text: string, write: (value: string) => string): string {
    const known = [...this.byValue.values()].flatMap((pair) => placesOf(pair, write(pair.value), text));
    const longestFirst = known.toSorted((one, other) => one.start - other.start || other.end - one.end);
    let end = 0;
    const places = longestFirst.filter((place) => place.start >= end && (end = place.end) > 0);
    return editEscaped(text, places).text;
  }

  /** A text with the values of its masks. Unknown masks, and those of the output, stay. */
  restore(text: string, use: MaskUse): string {
    return this.replace(text, use, (value) => value);
  }

  /** The same for JSON, within whose strings the masks are. */
  restoreJson(json: string, use: MaskUse): string {
    return this.replace(json, use, inJson);
  }

  private replace(text: string, use: MaskUse, write: (value: string) => string): string {
    return replaceMasks(text, (mask) => {
      const pair = this.byMask.get(mask);
      return pair !== undefined && isRestored(pair, use) ? write(pair.value) : mask;
    });
  }

  private keep(pair: MaskPair): void {
    this.byValue.set(pair.value, pair);
    this.byMask.set(maskOf(pair), pair);
    this.numbers.set(pair.type, Math.max(pair.number, this.numbers.get(pair.type) ?? 0));
  }
}

function isRestored({ restore }: MaskPair, use: MaskUse): boolean {
  return restore === 'answer_and_tools' || (restore === 'answer' && use === 'answer');
}

/** Applies masks, and escapes what only looks like one. */
function editEscaped(text: string, masked: readonly Edit[]): MappedText {
  const isFree = (place: number): boolean => masked.every(({ start, end }) => place <= start || place >= end);
  const escapes = escapesIn(text).filter(({ start }) => isFree(start));
  return editText(
    text,
    [...masked, ...escapes].toSorted((one, other) => one.start - other.start),
  );
}

/** The places of a value in a text. */
function placesOf(pair: MaskPair, value: string, text: string): Edit[] {
  const places: Edit[] = [];
  for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + value.length)) {
    places.push({ start, end: start + value.length, text: maskOf(pair), isMask: true });
  }
  return places;
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function maskOf({ type, number }: Pick<MaskPair, 'type' | 'number'>): string {
  return `[${type}_${number}]`;
}
