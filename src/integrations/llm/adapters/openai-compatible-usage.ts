import { type ProviderUsage, toProviderUsage } from '../provider-usage';
import { type JsonObject, objectAt } from './event-stream-reader';

/**
 * The usage of a chunk, wherever its server puts it: beside the choices (OpenAI and most others), in a corner of Groq's,
 * in the choice (Moonshot), or as llama.cpp's own timings. Null where the chunk has none.
 */
export function usageIn(chunk: JsonObject, choice: JsonObject): ProviderUsage | null {
  const places = [chunk.usage, objectAt(chunk, 'x_groq').usage, choice.usage];
  const usage = places.find((place) => typeof place === 'object' && place !== null);
  return usage === undefined ? timingsOf(objectAt(chunk, 'timings')) : readUsage(usage as JsonObject);
}

function readUsage(usage: JsonObject): ProviderUsage | null {
  const { reasoning_tokens } = objectAt(usage, 'completion_tokens_details');
  return toProviderUsage({
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: withReasoning(usage, reasoning_tokens),
    // OpenAI and most others; DeepSeek; Moonshot.
    cached_tokens:
      objectAt(usage, 'prompt_tokens_details').cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    reasoning_tokens,
  });
}

/** Some servers, xAI for one, count reasoning beside the completion instead of within it; their total tells. */
function withReasoning({ prompt_tokens, completion_tokens, total_tokens }: JsonObject, reasoning: unknown): unknown {
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number' || typeof reasoning !== 'number') {
    return completion_tokens;
  }
  const sum = completion_tokens + reasoning;
  return total_tokens === prompt_tokens + sum ? sum : completion_tokens;
}

/** `prompt_n` is what was read anew, `cache_n` what was still there. */
function timingsOf({ prompt_n, cache_n, predicted_n }: JsonObject): ProviderUsage | null {
  return toProviderUsage({
    prompt_tokens: Number(prompt_n) + Number(cache_n ?? 0),
    completion_tokens: predicted_n,
    cached_tokens: cache_n,
    reasoning_tokens: 0,
  });
}
