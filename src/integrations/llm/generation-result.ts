import type { CompletionFinishReason, CompletionResult } from './language-model-provider';
import { LONGEST_MODEL_NAME } from './model-name';
import type { ModelCandidate } from './model-registry';
import { toProviderUsage } from './provider-usage';
import { toStorableText } from './storable-text';

export interface GenerationResult extends CompletionResult {
  /** The provider that answered, which a fallback may have changed. */
  provider: string;
}

const FINISH_REASONS: readonly CompletionFinishReason[] = ['stop', 'length', 'content_filter'];

/** What a provider says of its reply, within bounds: whatever the adapter, nothing goes on that could not be stored. */
export function toGenerationResult(result: CompletionResult, { provider, model }: ModelCandidate): GenerationResult {
  return {
    finishReason: FINISH_REASONS.includes(result.finishReason) ? result.finishReason : 'stop',
    usage: result.usage && toProviderUsage(result.usage),
    model: toStorableText(result.model.slice(0, LONGEST_MODEL_NAME)).trim() || model,
    provider: provider.name,
  };
}
