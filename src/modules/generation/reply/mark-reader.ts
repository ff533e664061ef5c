const MARK = /\[\[cite:(\d{1,3})\]\]/g;

/** A text that ends with the beginning of a mark, of at most 11 characters. */
const MARK_BEGINNING = /\[(?:\[(?:c(?:i(?:t(?:e(?::(?:\d{1,3}\]?)?)?)?)?)?)?)?$/;

/** Finds the marks of passages in a text that arrives in pieces. */
export class MarkReader {
  /** The end of the text so far, which may be the beginning of a mark. */
  private held = '';

  /** @returns the text so far that is no mark, and the numbers of the marks in between, in order */
  read(piece: string): (string | number)[] {
    const text = this.held + piece;
    if (!text.includes('[')) {
      this.held = '';
      return [text];
    }
    const found: (string | number)[] = [];
    let end = 0;
    for (const { index, 0: mark, 1: number } of text.matchAll(MARK)) {
      found.push(text.slice(end, index), Number(number));
      end = index + mark.length;
    }
    const rest = text.slice(end);
    this.held = MARK_BEGINNING.exec(rest)?.[0] ?? '';
    found.push(rest.slice(0, rest.length - this.held.length));
    return found.filter((part) => part !== '');
  }

  /** The held text, which is no mark because nothing follows. */
  end(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}
