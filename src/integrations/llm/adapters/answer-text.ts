/**
 * Longest JSON of one response or event, in characters. Usually it has a few hundred, but an image may have millions.
 */
export const LONGEST_JSON = 8_000_000;

/** Longest text of a failure that is kept for the log, in characters. */
export const LONGEST_FAILURE_TEXT = 8_192;

/** The text of a response that is no event stream: JSON as a whole, for other text the beginning. */
export class AnswerText {
  /**
   * Whether it may be JSON; null until something visible has arrived. Servers keep a connection alive by sending blank
   * lines first.
   */
  isJson: boolean | null = null;
  length = 0;
  private readonly parts: string[] = [];

  add(text: string): void {
    if (this.isJson === null) {
      const visible = text.trimStart();
      if (visible === '') {
        return;
      }
      this.isJson = visible.startsWith('{') || visible.startsWith('[');
    }
    if (this.length <= (this.isJson ? LONGEST_JSON : LONGEST_FAILURE_TEXT)) {
      this.parts.push(text);
      this.length += text.length;
    }
  }

  /** The value of the JSON; undefined if it is not JSON. */
  parse(): unknown {
    if (!this.isJson) {
      return undefined;
    }
    try {
      return JSON.parse(this.toString()) as unknown;
    } catch {
      return undefined;
    }
  }

  toString(): string {
    return this.parts.join('').trim();
  }
}
