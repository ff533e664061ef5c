import type { FailedModel } from '../../../integrations/llm/port/llm.errors';
import type { ProviderUsage } from '../../../integrations/llm/port/provider-usage';
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
