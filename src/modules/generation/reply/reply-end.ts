import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { ProviderUsage } from '../../../integrations/llm/port/called-model';
import type { FailedModel } from '../../../integrations/llm/port/llm.errors';
import type { QuotaRemaining } from '../../usage/usage.api';
import type { ShownAction } from '../actions/shown-action';
import { toReplyFailure } from './reply-failure';
import type { FinishReason, ReplyFailure, ReplyStatus } from './reply-row';

/** Why a reply was aborted. */
export type ReplyAbortReason = 'stopped' | 'interrupted';

/** The result of generating a reply. `ReplyEnd` is its stored form with further data. */
export interface GenerationOutcome {
  status: Exclude<ReplyStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** The model that answered. Null: none, or it did not report its name. */
  model: string | null;
  /** Usage reported by the provider. Null: not reported. */
  usage: ProviderUsage | null;
  failure: ReplyFailure | null;
  /** The model that a failed reply called last. Null for other replies. */
  failedModel: FailedModel | null;
}

/** How a reply ended. */
export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** Null only for replies that failed before anything was counted. */
  usage: ReplyTokenUsage | null;
  failure: ReplyFailure | null;
  /** The title that the conversation got from this exchange. */
  title: string | null;
  /**
   * The reply has not ended: another instance writes it, and readers cannot be redirected there. Ignore the other
   * members.
   */
  isElsewhere?: true;
  /** The actions that it waits for. Absent: none. */
  actions?: readonly ShownAction[];
  /** When it ended. Absent: unknown. */
  at?: Date;
  /** Known to the instance that wrote the reply, while the reply is in its memory. */
  facts?: ReplyFacts;
}

/** Closes the connections of readers that cannot be redirected to the instance that writes the reply. */
export const ELSEWHERE: ReplyEnd = {
  status: 'interrupted',
  isElsewhere: true,
  usage: null,
  finishReason: null,
  failure: null,
  title: null,
};

/** Facts of an exchange besides its texts. */
export interface ReplyFacts {
  startedAt: Date;
  endedAt: Date;
  firstTokenMs: number | null;
  durationMs: number;
  /** Messages on the current branch of the conversation. */
  messageCount: number;
  /** The sender's remaining quotas of the day. Null: the day has changed. */
  quota: QuotaRemaining | null;
}

export function completedOutcome({
  finishReason,
  model,
  usage,
}: Pick<GenerationOutcome, 'finishReason' | 'model' | 'usage'> & { provider?: string }): GenerationOutcome {
  return { status: 'completed', finishReason, model, usage, failure: null, failedModel: null };
}

/** For a reply that waits for a person. */
export function waitingOutcome(): GenerationOutcome {
  const nothing = { finishReason: null, model: null, usage: null, failure: null, failedModel: null };
  return { status: 'requires_action', ...nothing };
}

/** For a reply that was aborted. */
export function abortedOutcome(reason: ReplyAbortReason): GenerationOutcome {
  const finishReason = reason === 'stopped' ? 'cancelled' : null;
  return { status: reason, finishReason, model: null, usage: null, failure: null, failedModel: null };
}

export function failedOutcome(error: unknown, failedModel: FailedModel | null = null): GenerationOutcome {
  const failure = toReplyFailure(error);
  return { status: 'failed', finishReason: 'error', model: null, usage: null, failure, failedModel };
}
