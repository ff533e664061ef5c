import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { LiveReply } from '../../../generation/generation.api';

/**
 * The part of a reply that a response is. A reply that waits for a decision is one response up to that point. Each
 * continuation is another response.
 */
export interface ResponsePart {
  /** 0 for the first part of the reply. */
  number: number;
  /** The index of its first step. */
  first: number;
  /** The usage of the reply before this part; null: none. */
  usage: ReplyTokenUsage | null;
  /** The start of the next part, and the usage up to there; null: this is the last part so far. */
  last: { step: number; usage: ReplyTokenUsage | null; at: Date } | null;
}

/** A reply that has never waited. */
export const WHOLE: ResponsePart = { number: 0, first: 0, usage: null, last: null };

/** The state of the reply at the end of this part. */
export function endedPart(reply: LiveReply, { last }: ResponsePart): LiveReply {
  if (last === null) {
    return reply;
  }
  const { chatId, userMessageId, messageId, steps } = reply;
  const part = new LiveReply(chatId, userMessageId, messageId, steps === null ? null : steps.slice(0, last.step));
  const { usage, at } = last;
  part.finish({ status: 'requires_action', finishReason: null, failure: null, title: null, usage, at });
  return part;
}
