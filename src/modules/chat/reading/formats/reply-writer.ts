import type { LiveReply, ReplyAside, ReplyEnd, ToolEvent } from '../../../generation/generation.api';

/** Turns a reply into the text of one stream format. Each response has its own writer. Methods are called in this order. */
export interface ReplyWriter {
  /** Headers of this format. Those that all formats share come from elsewhere. */
  readonly headers: Record<string, string>;

  /** Sent from time to time while there is no text. Empty for a format without pings. */
  readonly ping: string;

  /** What comes before the text. */
  begin(reply: LiveReply, offset: number): string;

  /** A piece of the reasoning; `offset` is its place in the text. Empty for a format that does not show reasoning. */
  reasoning(piece: string, offset: number): string;

  /** A piece of the text; `offset` is where it ends in the whole text. The writer may keep a part for later. */
  text(piece: string, offset: number): string;

  /** A call that the service makes itself, or its result; absent: the format shows none. */
  tool?(news: ToolEvent, reply: LiveReply, offset: number): string;

  /** Something about a call that is being made; absent: the format shows nothing of it. */
  aside?(aside: ReplyAside, reply: LiveReply, offset: number): string;

  /** The rest, and how the reply ended. */
  end(reply: LiveReply, end: ReplyEnd): string;
}
