import type { ProviderUsage } from '../port/called-model';
import { type CompletionFinishReason, toProviderUsage } from '../port/language-model-provider';
import { type JsonObject, objectAt } from './json-object';

/**
 * Adds the counts of an event to those of earlier events. `message_start` has the first counts, and those of
 * `message_delta` are cumulative, so the larger number is the newer one.
 */
export function addCounts(counts: JsonObject, usage: JsonObject): void {
  for (const [name, count] of Object.entries(usage)) {
    const before = counts[name];
    const isLess = typeof before === 'number' && typeof count === 'number' && count >= 0 && count < before;
    if (count !== null && !isLess) {
      counts[name] = count;
    }
  }
}

/**
 * Anthropic's `input_tokens` exclude tokens that it read from or wrote into its cache. The service's prompt count
 * includes them.
 */
export function readUsage(usage: JsonObject): ProviderUsage | null {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return toProviderUsage({
    prompt_tokens:
      Number(input_tokens) + Number(cache_creation_input_tokens ?? 0) + Number(cache_read_input_tokens ?? 0),
    completion_tokens: output_tokens,
    cached_tokens: cache_read_input_tokens,
    cache_write_tokens: cache_creation_input_tokens,
    reasoning_tokens: objectAt(usage, 'output_tokens_details').thinking_tokens,
    cache_write_1h_tokens: objectAt(usage, 'cache_creation').ephemeral_1h_input_tokens,
    web_searches: objectAt(usage, 'server_tool_use').web_search_requests,
    tariff: tariffOf(usage),
  });
}

/** The longest geography in a price's name. */
const GEOGRAPHY = /^[a-z0-9-]{1,32}$/i;

/**
 * What prices append to the model's name for a tariff other than the base one: `@fast`, then `@priority` or `@batch`,
 * then `@geo-us`. Requests and usages name it in the same fields.
 */
export function tariffOf({ speed, service_tier: tier, inference_geo: geography }: JsonObject): string {
  const isElsewhere = typeof geography === 'string' && geography !== 'global' && GEOGRAPHY.test(geography);
  return [
    speed === 'fast' ? '@fast' : '',
    tier === 'priority' || tier === 'batch' ? `@${tier}` : '',
    isElsewhere ? `@geo-${geography.toLowerCase()}` : '',
  ].join('');
}

export function toFinishReason(reason: unknown): CompletionFinishReason | null {
  if (typeof reason !== 'string') {
    return null;
  }
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') {
    return 'length';
  }
  return reason === 'refusal' ? 'content_filter' : 'stop';
}
