import type { Language } from '../../../../common/i18n/language';
import type { LiveReply, ReplyEnd } from '../../../generation/generation.api';
import { toReplyTrailerDto } from './reply-trailer.dto';
import type { ReplyWriter } from './reply-writer';

/** Separates the text of a plain stream from the usage. It occurs exactly once. */
export const USAGE_MARKER = '__TOKEN_USAGE__';

/** A marker in the text is split after `__TOKEN`, which has 7 characters. */
const BREAK = 7;
const ZERO_WIDTH_SPACE = '\u200b';

// The lookahead does not consume the last underscores, because they may start another marker, as in
// `__TOKEN_USAGE__TOKEN_USAGE__`.
const MARKER_IN_TEXT = /__TOKEN(?=_USAGE__)/g;
const MARKER_IN_JSON = /__TOKEN_(?=USAGE__)/g;

/** The raw text, then a line with the usage marker and one line of JSON. */
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
    // Created with the first piece. Before that, this instance may not have the preceding text, because the reader can
    // be ahead of it.
    this.marker ??= new MarkerBreaker(this.shownEnd(offset - piece.length));
    return this.marker.pass(piece);
  }

  end(reply: LiveReply, end: ReplyEnd): string {
    const trailer = JSON.stringify(toReplyTrailerDto(reply, end, this.language));
    return `${this.marker?.end() ?? ''}\n${USAGE_MARKER}${withoutMarker(trailer)}\n`;
  }

  /** The end of the text that the reader already has. A marker may start there. */
  private shownEnd(offset: number): string {
    return this.reply?.words.slice(Math.max(0, offset - USAGE_MARKER.length), offset) ?? '';
  }
}

/**
 * Splits each usage marker in the text with a zero-width space, so that no text can fake a usage. If a piece ends with
 * a possible start of a marker, that end is delayed until the next piece.
 */
export class MarkerBreaker {
  private held = '';
  /** How many of the next characters the reader already has. */
  private known: number;

  /** @param before the text before the first piece, if the reader joins later; its last 7 characters are enough */
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

  /** Returns the delayed text. */
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

/** Escapes the marker in JSON. JSON parsers still read the same text. */
export function withoutMarker(json: string): string {
  return json.replace(MARKER_IN_JSON, '__TOKEN\\u005f');
}

/** The longest end of `text`, up to `longest` characters, that could be the start of a marker. */
function longestMarkerStart(text: string, longest: number): string {
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (USAGE_MARKER.startsWith(end)) {
      return end;
    }
  }
  return '';
}
