import { type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';
import type { ProviderUsage } from './language-model-provider';

/** What a provider counted, in the words of the service. */
export function toReplyUsage(usage: ProviderUsage): Omit<ReplyTokenUsage, 'isEstimated' | 'model'> {
  return {
    ...tokenUsage(usage.prompt_tokens, usage.completion_tokens),
    cached: usage.cached_tokens,
    cacheWrite: usage.cache_write_tokens,
    reasoning: usage.reasoning_tokens,
  };
}
