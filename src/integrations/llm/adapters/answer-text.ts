/**
 * Longest JSON of one response or event, in characters. Usually it has a few hundred, but an image may have millions.
 */
export const LONGEST_JSON = 8_000_000;

/** Longest text of a failure that is kept for the log, in characters. */
export const LONGEST_FAILURE_TEXT = 8_192;

/** A line of an event stream. A server that is overloaded may send no data, only comments and names of events. */
const STREAM_LINE = /^(?::|(?:event|id|retry|data)(?::|$))/;

/** The text of a response without events: JSON as a whole, for other text the beginning. */
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

  /** Whether it is an event stream, but without any event. */
  get isEventStream(): boolean {
    return this.toString()
      .split(/[\r\n]+/)
      .every((line) => STREAM_LINE.test(line));
  }

  toString(): string {
    return this.parts.join('').trim();
  }
}
