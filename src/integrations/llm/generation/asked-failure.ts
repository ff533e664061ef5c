import type { AskedFailure } from '../port/asked-model';
import { FeatureNotSupportedError, ModelProviderError } from '../port/llm.errors';
import { toStorableText } from '../port/storable-text';
import { providerSentence } from '../providers/provider-outcome';

/** What is kept of why a request failed. Null: not the provider failed, but whoever asked has ended it. */
export function askedFailure(error: unknown): AskedFailure | null {
  if (!(error instanceof ModelProviderError)) {
    return null;
  }
  const sentence = providerSentence(error);
  return {
    code: error.code,
    status: error.providerStatus,
    message: sentence === null ? null : toStorableText(sentence),
    refused: refusedBy(error),
  };
}

function refusedBy(error: ModelProviderError): string | null {
  const { refusedParameter } = error.options;
  if (refusedParameter !== undefined) {
    return refusedParameter.parameter;
  }
  return error instanceof FeatureNotSupportedError ? String(error.details.feature) : null;
}
