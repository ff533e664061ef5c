import type { CostBound } from '../port/completion';
import { ModelNotPricedError, type UnpricedReason } from '../port/llm.errors';
import type { ModelCandidate } from '../providers/model-registry';
import type { AdaptedRequest } from './adapted-request';

/** @throws ModelNotPricedError before a model is asked whose cost is not held */
export function requireCovered(candidate: ModelCandidate, bound: CostBound | undefined): void {
  if (bound !== undefined && !bound.covers({ provider: candidate.provider.name, model: candidate.model })) {
    throw failure(candidate, 'no_price');
  }
}

/** @throws ModelNotPricedError before a model is asked without a limit of its reply, because it refuses each */
export function requireOutputLimit(candidate: ModelCandidate, adapted: AdaptedRequest): void {
  if (adapted.lacksOutputLimit) {
    throw failure(candidate, 'no_output_limit');
  }
}

function failure({ provider, model }: ModelCandidate, reason: UnpricedReason): ModelNotPricedError {
  const error = ModelNotPricedError.of(reason);
  error.failedModel = { provider: provider.name, model, host: provider.host };
  return error;
}
