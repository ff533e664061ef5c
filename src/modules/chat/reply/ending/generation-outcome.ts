import type { GenerationResult } from '../../../../integrations/llm/completion';
import type { ProviderUsage } from '../../../../integrations/llm/language-model-provider';
import type { FailedModel } from '../../../../integrations/llm/llm.errors';
import type { FinishReason, MessageFailure, MessageStatus } from '../../entities/message.entity';
import { toMessageFailure } from '../reply-failure';
import type { ReplyAbortReason } from '../running-reply';

/** How generating a reply went. */
export interface GenerationOutcome {
  status: Exclude<MessageStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** The model that answered; null when none did, or none that got to say its name. */
  model: string | null;
  /** As the provider counted; null when it did not. */
  usage: ProviderUsage | null;
  failure: MessageFailure | null;
  /** What a failed reply asked, as far as it got; null for the others, and for faults of ours. */
  failedModel: FailedModel | null;
}

export function completedOutcome({ finishReason, model, usage }: GenerationResult): GenerationOutcome {
  return { status: 'completed', finishReason, model, usage, failure: null, failedModel: null };
}

/** For a reply that was ended from outside. */
export function abortedOutcome(reason: ReplyAbortReason): GenerationOutcome {
  const finishReason = reason === 'stopped' ? 'cancelled' : null;
  return { status: reason, finishReason, model: null, usage: null, failure: null, failedModel: null };
}

export function failedOutcome(error: unknown, failedModel: FailedModel | null = null): GenerationOutcome {
  const failure = toMessageFailure(error);
  return { status: 'failed', finishReason: 'error', model: null, usage: null, failure, failedModel };
}
