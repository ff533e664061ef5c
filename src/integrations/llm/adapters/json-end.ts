const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Finds the end of a JSON object or list that arrives in pieces, and reads each character once. */
export class JsonEnd {
  isComplete = false;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  add(text: string): void {
    for (let at = 0; at < text.length && !this.isComplete; at++) {
      this.read(text.charCodeAt(at));
    }
  }

  private read(code: number): void {
    if (this.isEscaped) {
      this.isEscaped = false;
    } else if (this.isInText) {
      this.isEscaped = code === BACKSLASH;
      this.isInText = code !== QUOTE;
    } else if (code === QUOTE) {
      this.isInText = true;
    } else if (OPENING.has(code)) {
      this.depth++;
    } else if (CLOSING.has(code)) {
      this.isComplete = --this.depth <= 0;
    }
  }
}
