import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { utcDay } from '../../../../common/utc-day';
import { estimateParts } from '../../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { LineEnd } from '../../conversations/conversation-line';
import type { MessageEntity } from '../../conversations/message.entity';
import type { ReplyEnd } from '../reply-end';
import { storedSteps } from '../reply-steps';
import type { GenerationOutcome, RunningReply } from '../running-reply';

/** The text and the reasoning that are stored. */
export type KeptTexts = Pick<RunningReply, 'text' | 'reasoning'>;

/** The facts of an ended reply, for the steps that store it. */
export interface Ended {
  reply: RunningReply;
  outcome: GenerationOutcome;
  usage: ReplyTokenUsage;
  at: Date;
}

/** The columns of the message that its end changes. */
export type EndedRow = Pick<
  MessageEntity,
  'content' | 'reasoning' | 'parts' | 'tokenCount' | 'status' | 'finishReason' | 'model' | 'tokenUsage' | 'failure'
> &
  Pick<MessageEntity, 'ownerId' | 'completedAt' | 'updatedAt' | 'firstTokenMs' | 'durationMs'>;

export function endedRow({ reply, outcome, usage, at }: Ended, { text, reasoning }: KeptTexts): EndedRow {
  return {
    content: text,
    reasoning: reasoning === '' ? null : reasoning,
    parts: null,
    ...storedSteps(reply),
    tokenCount:
      estimateTokens(text) + estimateParts([...reply.toolCalls, ...(reply.compaction ? [reply.compaction] : [])]),
    status: outcome.status,
    finishReason: outcome.finishReason,
    model: usage.model,
    tokenUsage: usage,
    failure: outcome.failure,
    ownerId: null,
    completedAt: at,
    updatedAt: at,
    firstTokenMs: reply.firstTokenMs,
    durationMs: durationOf(reply, at),
  };
}

function durationOf({ task }: RunningReply, at: Date): number {
  return Math.max(0, at.getTime() - task.startedAt.getTime());
}

/** Whether the message does not count, because the reply has no text and the user did not stop it. */
export function returnsMessage({ reply: { isEmpty, task }, outcome: { status } }: Ended): boolean {
  return status !== 'completed' && status !== 'stopped' && isEmpty && task.messages === 2;
}

/** What its readers are told beside the end, as far as it is known without asking the database again. */
export function factsOf(ended: Ended, line: LineEnd | null): Pick<ReplyEnd, 'facts'> {
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
    messageCount: line?.messageCount ?? begun.messageCount,
    quota: utcDay(at) === utcDay(task.startedAt) ? quota : null,
  };
  return { facts };
}
