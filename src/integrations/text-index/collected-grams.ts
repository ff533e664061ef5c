/** Most grams in memory, in some 50 MB. Ordinary segments have fewer. */
const MOST_GRAMS = 1_000_000;

/** A gram with the ordinals of its documents. */
export type GramRow = [gram: number, ordinals: number[]];

/**
 * Grams are numbers of 31 bits. Those with the same highest bits form one part, which is small enough to be sorted at
 * once.
 */
const PART_BITS = 21;
const PARTS = 2 ** (31 - PART_BITS);

/**
 * The grams of a segment from a part on, with the ordinals of their documents. If there are too many, the last parts
 * are left to another pass over the texts. A text of random letters has two grams for each letter.
 */
export class CollectedGrams {
  /** The first part that is left to the next pass. */
  private end = PARTS;
  private size = 0;
  private readonly parts: Map<number, number | number[]>[];

  constructor(
    private readonly start = 0,
    private readonly most = MOST_GRAMS,
  ) {
    this.parts = Array.from({ length: PARTS }, () => new Map<number, number | number[]>());
  }

  /** The first part of the next pass; null: there is none. */
  get next(): number | null {
    return this.end < PARTS ? this.end : null;
  }

  /** @param ordinal not less than the previous ones */
  add(gram: number, ordinal: number): void {
    const place = gram >>> PART_BITS;
    const part = this.parts[place];
    if (part === undefined || place < this.start || place >= this.end) {
      return;
    }
    const ordinals = part.get(gram);
    if (ordinals === undefined) {
      part.set(gram, ordinal);
      this.size++;
      this.leaveLastParts();
    } else if (typeof ordinals !== 'number') {
      if (ordinals.at(-1) !== ordinal) {
        ordinals.push(ordinal);
      }
    } else if (ordinals !== ordinal) {
      part.set(gram, [ordinals, ordinal]);
    }
  }

  /** Batches of the given size, sorted. */
  *batches(size: number): Generator<GramRow[], void> {
    let batch: GramRow[] = [];
    for (const part of this.parts.slice(this.start, this.end)) {
      for (const [gram, ordinals] of [...part].sort(([one], [other]) => one - other)) {
        batch.push([gram, typeof ordinals === 'number' ? [ordinals] : ordinals]);
        if (batch.length === size) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) {
      yield batch;
    }
  }

  private leaveLastParts(): void {
    while (this.size > this.most && this.end > this.start + 1) {
      this.end--;
      const left = this.parts[this.end];
      this.size -= left?.size ?? 0;
      left?.clear();
    }
  }
}
