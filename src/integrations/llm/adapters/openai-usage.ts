import { type ProviderUsage, toProviderUsage } from '../port/language-model-provider';
import { type JsonObject, objectAt } from './json-object';

/**
 * The usage of a chunk. It stands beside the choices (OpenAI and most others), in `x_groq` (Groq), in the choice (Moonshot),
 * or in `timings` (llama.cpp). Null when the chunk has none.
 */
export function usageIn(chunk: JsonObject, choice: JsonObject): ProviderUsage | null {
  const places = [chunk.usage, objectAt(chunk, 'x_groq').usage, choice.usage];
  const usage = places.find((place) => typeof place === 'object' && place !== null);
  return usage === undefined ? timingsOf(objectAt(chunk, 'timings')) : readUsage(usage as JsonObject);
}

function readUsage(usage: JsonObject): ProviderUsage | null {
  const { reasoning_tokens } = objectAt(usage, 'completion_tokens_details');
  const details = objectAt(usage, 'prompt_tokens_details');
  // OpenAI and most others; DeepSeek; Moonshot; Anthropic behind a gateway.
  const cached =
    details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? usage.cache_read_input_tokens;
  // OpenRouter; gateways to Anthropic.
  const written = details.cache_write_tokens ?? details.cache_creation_tokens ?? usage.cache_creation_input_tokens;
  const { cache, reasoning } = besides(usage, countOf(cached) + countOf(written), countOf(reasoning_tokens));
  return toProviderUsage({
    prompt_tokens: withBeside(usage.prompt_tokens, cache),
    completion_tokens: withBeside(usage.completion_tokens, reasoning),
    cached_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens,
  });
}

/**
 * What is not included in prompt and completion, but stands beside them. OpenAI includes both; xAI counts reasoning beside the
 * completion, some gateways to Anthropic count the cache beside the prompt. The total shows it, and so does a cache that is
 * larger than the prompt.
 */
function besides(
  { prompt_tokens, completion_tokens, total_tokens }: JsonObject,
  cache: number,
  reasoning: number,
): { cache: number; reasoning: number } {
  const prompt = countOf(prompt_tokens);
  const more = countOf(total_tokens) - prompt - countOf(completion_tokens);
  if (reasoning > 0 && more === reasoning) {
    return { cache: 0, reasoning };
  }
  if (cache > 0 && more === cache + reasoning) {
    return { cache, reasoning };
  }
  return { cache: cache > prompt || (cache > 0 && more === cache) ? cache : 0, reasoning: 0 };
}

/** 0 for what is no number: the check of the whole usage decides about that. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function withBeside(value: unknown, beside: number): unknown {
  return typeof value === 'number' ? value + beside : value;
}

/** `prompt_n` counts the new tokens of the prompt, `cache_n` those from the cache. */
function timingsOf({ prompt_n, cache_n, predicted_n }: JsonObject): ProviderUsage | null {
  return toProviderUsage({
    prompt_tokens: Number(prompt_n) + Number(cache_n ?? 0),
    completion_tokens: predicted_n,
    cached_tokens: cache_n,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  });
}
