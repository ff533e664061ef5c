import type { LiveReply, ReplyEnd } from './live-reply';

/**
 * One step of a reply, as the model gave it. The order and the bounds of steps are stored, so a reply that is read again
 * later, on any instance, has the same steps. Streams whose events have numbers are made of them.
 */
export type ReplyStep =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A call of a function begins; `call` counts the calls of one reply from 0. */
  | { kind: 'tool_call'; call: number; id: string; name: string }
  /** A piece of the arguments of a call. */
  | { kind: 'tool_arguments'; call: number; text: string };

/** Turns the steps of a reply into the text of one stream format. Each response has its own writer. */
export interface StepWriter {
  /** Headers of this format, `Content-Type` among them. */
  readonly headers: Record<string, string>;

  /** Sent from time to time while there is nothing else to send. */
  readonly ping: string;

  /** What comes before the first step. */
  begin(reply: LiveReply): string;

  /** One step; empty when the reader has it already, or does not want it. Steps come in their order, from the first on. */
  step(step: ReplyStep): string;

  /** The rest, and how the reply ended. */
  end(reply: LiveReply, end: ReplyEnd): string;
}
