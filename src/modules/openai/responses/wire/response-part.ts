import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { LiveReply } from '../../../generation/generation.api';

/**
 * Which part of a reply a response is. A reply that waits for people is one response until then, and each time that it goes on
 * makes another one.
 */
export interface ResponsePart {
  /** 0: it is the beginning of the reply. */
  number: number;
  /** Its first step. */
  first: number;
  /** What the reply had used before it; null: nothing. */
  usage: ReplyTokenUsage | null;
  /** Where the next one began, and what the reply had used by then; null: it is the last one so far. */
  last: { step: number; usage: ReplyTokenUsage | null; at: Date } | null;
}

/** A reply that has never waited. */
export const WHOLE: ResponsePart = { number: 0, first: 0, usage: null, last: null };

/** The reply as it stood when this part of it ended. */
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
