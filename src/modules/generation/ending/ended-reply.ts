import { utcDay } from '../../../common/utc-day';
import type { ReplyEnd } from '../reply/reply-end';
import type { Released } from '../reply/reply-origin';
import { storedSteps } from '../reply/reply-steps';
import type { Ended, EndedRow, WrittenReply } from '../reply/written-reply';

/** The text and the reasoning that are stored. */
export type KeptTexts = Pick<WrittenReply, 'text' | 'reasoning'>;

export function endedRow(
  { reply, outcome, usage, at }: Ended,
  { text, reasoning }: KeptTexts,
  keepsSteps: boolean,
): EndedRow {
  return {
    content: text,
    reasoning: reasoning === '' ? null : reasoning,
    parts: null,
    ...(keepsSteps && storedSteps(reply)),
    status: outcome.status,
    finishReason: outcome.finishReason,
    model: usage.model,
    tokenUsage: usage,
    failure: outcome.failure,
    ownerId: null,
    completedAt: outcome.status === 'requires_action' ? null : at,
    updatedAt: at,
    firstTokenMs: reply.firstTokenMs,
    durationMs: outcome.status === 'requires_action' ? null : durationOf(reply, at),
    trace: reply.attempts,
  };
}

function durationOf({ task }: WrittenReply, at: Date): number {
  return Math.max(0, at.getTime() - task.startedAt.getTime());
}

/** Whether the message does not count, because the reply has no text and the user did not stop it. */
export function returnsMessage({ reply: { isEmpty, task }, outcome: { status } }: Ended): boolean {
  return (
    status !== 'completed' && status !== 'stopped' && status !== 'requires_action' && isEmpty && task.messages === 2
  );
}

/** What its readers are told beside the end, as far as it is known without asking the database again. */
export function factsOf(ended: Ended, { messageCount }: Released): Pick<ReplyEnd, 'facts'> {
  const { reply, usage, at } = ended;
  const { begun, firstTokenMs, task } = reply;
  if (begun === null) {
    return {};
  }
  const { messages, tokens } = begun.quota;
  const quota = {
    messages: messages === null ? null : messages + (returnsMessage(ended) ? 1 : 0),
    tokens: tokens === null ? null : Math.max(0, tokens - usage.total),
  };
  const facts = {
    startedAt: task.startedAt,
    endedAt: at,
    firstTokenMs,
    durationMs: durationOf(reply, at),
    messageCount: messageCount ?? begun.messageCount,
    quota: utcDay(at) === utcDay(task.startedAt) ? quota : null,
  };
  return { facts };
}
