import type { CompletionRequest } from '../port/language-model-provider';
import { FeatureNotSupportedError } from '../port/llm.errors';
import type { ModelCandidate } from '../providers/model-registry';

/** @throws FeatureNotSupportedError before anybody is asked; a fallback model may be of another provider. */
export function requireFeatures({ provider, model }: ModelCandidate, request: CompletionRequest): void {
  const missing = provider.missingFeature(request);
  if (missing !== null) {
    const error = FeatureNotSupportedError.of(missing);
    error.failedModel = { provider: provider.name, model, host: provider.host };
    throw error;
  }
}
