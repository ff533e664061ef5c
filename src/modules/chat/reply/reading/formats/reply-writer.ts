import type { LiveReply, ReplyEnd } from '../../live-reply';

/** Turns a reply into the text of one stream format. One writer serves one response, in the order of the methods. */
export interface ReplyWriter {
  /** Headers of the response besides those that all formats share. */
  readonly headers: Record<string, string>;

  /** Sent from time to time while there is no text; empty for formats without such a sign. */
  readonly ping: string;

  /** What comes before the text. */
  begin(reply: LiveReply, offset: number): string;

  /** A piece of the reasoning; `offset` is its place in the text. Empty in formats that do not show reasoning. */
  reasoning(piece: string, offset: number): string;

  /** A piece of the text; `offset` is where it ends in the whole text. The writer may hold something back. */
  text(piece: string, offset: number): string;

  /** Everything that is left. */
  end(reply: LiveReply, end: ReplyEnd): string;
}
