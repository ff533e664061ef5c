import type { GenerationRequest } from '../port/completion';
import { FeatureNotSupportedError } from '../port/llm.errors';
import type { ModelCandidate } from '../providers/model-registry';
import { requireCovered } from './required-bound';

/**
 * Before anybody is asked: a fallback model may be of another provider, or have no price.
 *
 * @throws FeatureNotSupportedError, ModelNotPricedError
 */
export function requireFeatures(candidate: ModelCandidate, request: GenerationRequest): void {
  const { provider, model } = candidate;
  requireCovered(candidate, request.bound);
  const missing = provider.missingFeature(request);
  if (missing !== null) {
    const error = FeatureNotSupportedError.of(missing);
    error.failedModel = { provider: provider.name, model, host: provider.host };
    throw error;
  }
}
