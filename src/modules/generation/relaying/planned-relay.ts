import type { Agent } from '../../agent/agent.api';
import type { PlannedRequest } from '../prompt/generation-request';
import type { RelayOrder } from './relay-order';

/** The cost-related facts of a relayed request. @param output maximum tokens of the reply */
export function plannedRelay(
  { provider, model }: Pick<Agent, 'provider' | 'model'>,
  { size, tariffs, webSearches }: Pick<RelayOrder, 'size' | 'tariffs' | 'webSearches'>,
  output: number,
): PlannedRequest {
  const { tokens, pageTokens, countedTokens, images } = size;
  return {
    models: { provider, model },
    prompt: tokens + pageTokens,
    countedTokens: countedTokens === null ? null : countedTokens + pageTokens,
    images,
    output,
    tariffs,
    webSearches,
  };
}
