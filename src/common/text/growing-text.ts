import { characterStart } from './surrogate-pairs';

/** UTF-16 units of a segment. */
const SEGMENT = 16_384;

/**
 * A text that grows by small pieces and is read from the middle while it grows. With one string, each read would copy
 * all of it, and each piece would stay in memory as its own string, which needs a multiple of its characters.
 */
export class GrowingText {
  /** All full segments. It is never read from the middle. */
  private full = '';
  private readonly segments: string[] = [];
  private last = '';

  /** In UTF-16 units, like all offsets here. */
  get length(): number {
    return this.full.length + this.last.length;
  }

  append(piece: string): void {
    this.last += piece;
    while (this.last.length >= SEGMENT) {
      const segment = this.last.slice(0, SEGMENT);
      // Flattens the segment: the engine joins the pieces of a string when a character is looked up.
      segment.charCodeAt(0);
      this.last = this.last.slice(SEGMENT);
      this.segments.push(segment);
      this.full += segment;
    }
  }

  slice(start: number, end = Infinity): string {
    const until = Math.min(end, this.length);
    let text = '';
    for (let index = Math.floor(start / SEGMENT); index * SEGMENT < until; index++) {
      const from = index * SEGMENT;
      text += (this.segments[index] ?? this.last).slice(Math.max(0, start - from), until - from);
    }
    return text;
  }

  /** The offset itself, or the previous one if it would split a surrogate pair. */
  characterStart(offset: number): number {
    return offset <= 0 ? offset : offset - 1 + characterStart(this.slice(offset - 1, offset + 1), 1);
  }

  toString(): string {
    return this.full + this.last;
  }
}
