import type { CompletionRequest } from './language-model-provider';
import type { ModelReference } from './model-registry';

/** What callers of `LanguageModels` ask for. */
export interface GenerationRequest extends CompletionRequest {
  /** null: the configured provider. */
  provider: string | null;
  /** Tried in this order once the model has failed: `model`, `provider:model`, or an object with both. */
  fallbackModels?: readonly (string | ModelReference)[];
  /** Limit for the whole reply; null or absent: the configured one. */
  timeoutSeconds?: number | null;
}
