import type { LiveReply, ReplyEnd } from '../../live-reply';

/** Turns a reply into the text of one stream format. One writer serves one response, in the order of the methods. */
export interface ReplyWriter {
  /** Headers of the response besides those that all formats share. */
  readonly headers: Record<string, string>;

  /** What to send now and then while there is no text; empty for formats that have nothing of the kind. */
  readonly ping: string;

  /** What comes before the text. */
  begin(reply: LiveReply, offset: number): string;

  /** A piece of what the model thinks; `offset` is the place of the text that it stands at. Empty where it is not shown. */
  reasoning(piece: string, offset: number): string;

  /** A piece of the reply's text; `offset` is the place of its end in the whole text. May hold something back. */
  text(piece: string, offset: number): string;

  /** All that is left. */
  end(reply: LiveReply, end: ReplyEnd): string;
}
