import type { LiveReply, ReplyAside, ReplyEnd, ToolEvent } from '../../../generation/generation.api';

/**
 * Converts a reply to the text of one stream format. Each response has its own writer. The caller calls the methods in
 * this order.
 */
export interface ReplyWriter {
  /** The headers of this format, in addition to those of all formats. */
  readonly headers: Record<string, string>;

  /** Sent periodically while there is no text. Empty for a format without pings. */
  readonly ping: string;

  /** The output before the text. */
  begin(reply: LiveReply, offset: number): string;

  /**
   * A piece of the reasoning; `offset` is its place in the text. Returns an empty string for a format without
   * reasoning.
   */
  reasoning(piece: string, offset: number): string;

  /** A piece of the text; `offset` is where it ends in the whole text. The writer may delay part of the output. */
  text(piece: string, offset: number): string;

  /** A call by the service, or its result; absent for a format without calls. */
  tool?(news: ToolEvent, reply: LiveReply, offset: number): string;

  /** A citation of a passage by its number; absent for a format without these events. */
  citation?(number: number, reply: LiveReply, offset: number): string;

  /** Progress or a question of a running call; absent for a format without these events. */
  aside?(aside: ReplyAside, reply: LiveReply, offset: number): string;

  /** The remaining output and the end of the reply. */
  end(reply: LiveReply, end: ReplyEnd): string;
}
