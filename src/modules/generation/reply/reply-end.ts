import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { ProviderUsage } from '../../../integrations/llm/port/asked-model';
import type { FailedModel } from '../../../integrations/llm/port/llm.errors';
import type { QuotaRemaining } from '../../usage/usage.api';
import type { ShownAction } from '../actions/shown-action';
import { toReplyFailure } from './reply-failure';
import type { FinishReason, ReplyFailure, ReplyStatus } from './reply-row';

/** Why a reply is ended from outside. */
export type ReplyAbortReason = 'stopped' | 'interrupted';

/** How generating a reply went. What is stored of it, with what else is known at the end, is a `ReplyEnd`. */
export interface GenerationOutcome {
  status: Exclude<ReplyStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** The model that answered; null when none did, or none said its name. */
  model: string | null;
  /** As the provider counted; null when it did not count. */
  usage: ProviderUsage | null;
  failure: ReplyFailure | null;
  /** The model that a failed reply asked last; null for other replies. */
  failedModel: FailedModel | null;
}

/** How a reply has ended. */
export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** Null only for replies that failed before anything was counted. */
  usage: ReplyTokenUsage | null;
  failure: ReplyFailure | null;
  /** The title that the conversation got from this exchange. */
  title: string | null;
  /** It has not ended: somebody else writes it, and its readers cannot be led there. The other members say nothing. */
  isElsewhere?: true;
  /** What it waits for; absent: nothing. */
  actions?: readonly ShownAction[];
  /** When it ended; absent when nobody knows it any more. */
  at?: Date;
  /** Known to the instance that wrote the reply, while it has it in memory. */
  facts?: ReplyFacts;
}

/** For the readers of a reply that somebody else writes, where they cannot be led there: their connections are cut. */
export const ELSEWHERE: ReplyEnd = {
  status: 'interrupted',
  isElsewhere: true,
  usage: null,
  finishReason: null,
  failure: null,
  title: null,
};

/** What an exchange has left behind, beside its texts. */
export interface ReplyFacts {
  startedAt: Date;
  endedAt: Date;
  firstTokenMs: number | null;
  durationMs: number;
  /** Messages on the current line of the conversation. */
  messageCount: number;
  /** What its sender may still use on this day; null: another day has begun. */
  quota: QuotaRemaining | null;
}

export function completedOutcome({
  finishReason,
  model,
  usage,
}: Pick<GenerationOutcome, 'finishReason' | 'model' | 'usage'> & { provider?: string }): GenerationOutcome {
  return { status: 'completed', finishReason, model, usage, failure: null, failedModel: null };
}

/** For a reply that waits for people. */
export function waitingOutcome(): GenerationOutcome {
  const nothing = { finishReason: null, model: null, usage: null, failure: null, failedModel: null };
  return { status: 'requires_action', ...nothing };
}

/** For a reply that was ended from outside. */
export function abortedOutcome(reason: ReplyAbortReason): GenerationOutcome {
  const finishReason = reason === 'stopped' ? 'cancelled' : null;
  return { status: reason, finishReason, model: null, usage: null, failure: null, failedModel: null };
}

export function failedOutcome(error: unknown, failedModel: FailedModel | null = null): GenerationOutcome {
  const failure = toReplyFailure(error);
  return { status: 'failed', finishReason: 'error', model: null, usage: null, failure, failedModel };
}
