import type { Language } from '../../../../../common/i18n/language';
import type { LiveReply, ReplyEnd } from '../../live-reply';
import { toReplyTrailerDto } from '../reply-trailer.dto';
import type { ReplyWriter } from './reply-writer';

/** Stands between the text of a plain stream and the usage, exactly once. */
export const USAGE_MARKER = '__TOKEN_USAGE__';

/** Where a marker inside the text is broken: behind `__TOKEN`. */
const BREAK = 7;
const ZERO_WIDTH_SPACE = '\u200b';

// The lookahead leaves the underscores at the end to be the beginning of the next marker: `__TOKEN_USAGE__TOKEN_USAGE__`.
const MARKER_IN_TEXT = /__TOKEN(?=_USAGE__)/g;
const MARKER_IN_JSON = /__TOKEN_(?=USAGE__)/g;

/** The text as it is, then a line with the usage marker and one line of JSON (specification §4.2). */
export class PlainTextWriter implements ReplyWriter {
  readonly headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  readonly ping = '';
  private reply: LiveReply | null = null;
  private marker: MarkerBreaker | null = null;

  constructor(private readonly language: Language) {}

  begin(reply: LiveReply): string {
    this.reply = reply;
    return '';
  }

  reasoning(): string {
    return '';
  }

  text(piece: string, offset: number): string {
    // Not before the first piece: to readers who are ahead of this instance's text, what stands before it is missing too.
    this.marker ??= new MarkerBreaker(this.textBefore(offset - piece.length));
    return this.marker.pass(piece);
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = JSON.stringify(toReplyTrailerDto(reply, end, this.language));
    return `${this.marker?.end() ?? ''}\n${USAGE_MARKER}${withoutMarker(trailer)}\n`;
  }

  /** The end of what the reader has already, in which a marker may have begun. */
  private textBefore(offset: number): string {
    return this.reply?.text.slice(Math.max(0, offset - USAGE_MARKER.length), offset) ?? '';
  }
}

/**
 * Breaks every usage marker in a text that arrives in pieces, with a zero-width space, so that nobody can forge usage.
 * Of a piece that might end within a marker only that possible beginning is held back.
 */
export class MarkerBreaker {
  private held = '';
  /** Characters at the beginning of what is passed on that the reader has already. */
  private known: number;

  /** @param before the text before the first piece, for readers who join later; its last 7 characters are enough */
  constructor(before = '') {
    this.held = longestMarkerStart(before, BREAK);
    this.known = this.held.length;
  }

  pass(piece: string): string {
    if (this.held === '' && !piece.includes('_')) {
      return piece;
    }
    const text = (this.held + piece).replace(MARKER_IN_TEXT, `__TOKEN${ZERO_WIDTH_SPACE}`);
    this.held = longestMarkerStart(text, USAGE_MARKER.length - 1);
    return this.withoutKnown(text.slice(0, text.length - this.held.length));
  }

  /** What was held back to the end. */
  end(): string {
    const { held } = this;
    this.held = '';
    return this.withoutKnown(held);
  }

  private withoutKnown(text: string): string {
    const known = Math.min(this.known, text.length);
    this.known -= known;
    return known === 0 ? text : text.slice(known);
  }
}

/** JSON in which the marker is spelt with an escape, which means the same to every JSON parser. */
export function withoutMarker(json: string): string {
  return json.replace(MARKER_IN_JSON, '__TOKEN\\u005f');
}

/** The longest end of `text`, of at most `longest` characters, with which a marker could begin. */
function longestMarkerStart(text: string, longest: number): string {
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (USAGE_MARKER.startsWith(end)) {
      return end;
    }
  }
  return '';
}
