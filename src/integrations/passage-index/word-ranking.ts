import { setImmediate as turn } from 'node:timers/promises';
import { readPostings } from './postings';

/** A passage with its score. */
export interface ScoredPassage {
  passageId: number;
  score: number;
}

/** The ingestions that a search reads. */
export interface SearchedIngestions {
  /** All of the searched collections, whose statistics count, with their position: passages with equal scores are in this order. */
  order: ReadonlyMap<number, number>;
  /** Those that the filters select; null: all. */
  selected: ReadonlySet<number> | null;
}

/** The passages of a part with a term. */
export interface TermPostings {
  ingestionId: number;
  firstId: number;
  postings: Uint8Array;
}

/** BM25: how fast further occurrences of a term count less, and how much long passages do. */
const K1 = 1.2;
const B = 0.75;

/** Bytes of postings, and passages, after which other work can run: about two milliseconds. */
const SLICE = 32_768;

/** A score of BM25 with this value becomes 0.5. */
const HALF_SCORE = 8;

/** The scores of passages, in a hash table of numbers: a common term adds hundreds of thousands. */
class ScoreTable {
  private ids = new Int32Array(1 << 10);
  private places = new Int32Array(1 << 10);
  private scores = new Float64Array(1 << 10);
  private count = 0;

  add(passageId: number, place: number, score: number): void {
    const slot = this.slotOf(passageId);
    if (this.ids[slot] === 0) {
      this.ids[slot] = passageId;
      this.places[slot] = place;
      this.count++;
    }
    this.scores[slot]! += score;
  }

  /** Makes room for so many passages more. */
  reserve(more: number): void {
    const { ids, places, scores } = this;
    let size = ids.length;
    while (size < 2 * (this.count + more)) {
      size *= 2;
    }
    if (size === ids.length) {
      return;
    }
    this.ids = new Int32Array(size);
    this.places = new Int32Array(size);
    this.scores = new Float64Array(size);
    for (let from = 0; from < ids.length; from++) {
      if (ids[from] !== 0) {
        const slot = this.slotOf(ids[from]!);
        this.ids[slot] = ids[from]!;
        this.places[slot] = places[from]!;
        this.scores[slot] = scores[from]!;
      }
    }
  }

  /** The best passages, best first. With equal scores, they are in the order of their ingestions and ids. */
  best(most: number): ScoredPassage[] {
    const { ids, places, scores } = this;
    const compare = (one: number, other: number): number =>
      scores[other]! - scores[one]! || places[one]! - places[other]! || ids[one]! - ids[other]!;
    let slots: number[] = [];
    let worst: number | undefined;
    for (let slot = 0; slot < ids.length; slot++) {
      if (ids[slot] !== 0 && (worst === undefined || compare(slot, worst) < 0)) {
        slots.push(slot);
        if (slots.length >= 4 * most) {
          slots = slots.sort(compare).slice(0, most);
          worst = slots.at(-1);
        }
      }
    }
    return slots
      .sort(compare)
      .slice(0, most)
      .map((slot) => ({ passageId: ids[slot]!, score: scores[slot]! }));
  }

  private slotOf(passageId: number): number {
    const mask = this.ids.length - 1;
    let slot = (Math.imul(passageId, 0x9e3779b1) >>> 7) & mask;
    while (this.ids[slot] !== 0 && this.ids[slot] !== passageId) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}

/** Ranks passages for a query by its words: BM25 over the statistics of the searched collections. */
export class WordRanking {
  private readonly table = new ScoreTable();
  private readonly averageLength: number;
  // Of the passages with the current term that the filters select.
  private ids = new Int32Array(1 << 10);
  private places = new Int32Array(1 << 10);
  private weights = new Float64Array(1 << 10);
  private count = 0;
  /** All passages with the current term. */
  private found = 0;

  constructor(
    private readonly ingestions: SearchedIngestions,
    private readonly statistics: { passages: number; length: number },
  ) {
    this.averageLength = Math.max(1, statistics.length / Math.max(1, statistics.passages));
  }

  /** Adds the scores of a term. Other work can run in between. */
  async add(parts: readonly TermPostings[]): Promise<void> {
    this.found = 0;
    this.count = 0;
    let read = 0;
    for (const part of parts) {
      this.read(part);
      read += part.postings.length;
      if (read > SLICE) {
        read = 0;
        await turn();
      }
    }
    const others = Math.max(0, this.statistics.passages - this.found);
    const rarity = Math.log(1 + (others + 0.5) / (this.found + 0.5));
    this.table.reserve(this.count);
    for (let start = 0; start < this.count; start += SLICE) {
      if (start > 0) {
        await turn();
      }
      for (let index = start; index < Math.min(this.count, start + SLICE); index++) {
        this.table.add(this.ids[index]!, this.places[index]!, rarity * this.weights[index]!);
      }
    }
  }

  /** The best passages, best first, with scores from 0 to 1. */
  best(most: number): ScoredPassage[] {
    return this.table.best(most).map(({ passageId, score }) => ({ passageId, score: score / (score + HALF_SCORE) }));
  }

  private read({ ingestionId, firstId, postings }: TermPostings): void {
    const { order, selected } = this.ingestions;
    const place = order.get(ingestionId);
    if (place === undefined) {
      return;
    }
    const isSelected = selected?.has(ingestionId) ?? true;
    readPostings(postings, firstId, (passageId, frequency, length) => {
      this.found++;
      if (isSelected) {
        this.reserve(this.count);
        this.ids[this.count] = passageId;
        this.places[this.count] = place;
        const norm = K1 * (1 - B + (B * length) / this.averageLength);
        this.weights[this.count++] = (frequency * (K1 + 1)) / (frequency + norm);
      }
    });
  }

  private reserve(count: number): void {
    if (count === this.ids.length) {
      this.ids = grown(this.ids, new Int32Array(count * 2));
      this.places = grown(this.places, new Int32Array(count * 2));
      this.weights = grown(this.weights, new Float64Array(count * 2));
    }
  }
}

function grown<Numbers extends Int32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
