import type { Language } from '../../../../../common/i18n/language';
import { toReplyTrailerDto } from '../../../dto/reply-trailer.dto';
import type { LiveReply, ReplyEnd } from '../../live-reply';
import type { ReplyWriter } from './reply-writer';
import { MarkerBreaker, USAGE_MARKER, withoutMarker } from './usage-marker';

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
