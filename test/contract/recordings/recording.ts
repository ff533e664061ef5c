import type { CompletionResult } from '../../../src/integrations/llm/port/language-model-provider';
import type { NETWORK_ADAPTERS, RecordedCall } from '../llm-provider.harness';

/** A stream with the structure, the order and the quirks of a real provider, and the expected result. */
export interface Recording {
  adapter: (typeof NETWORK_ADAPTERS)[number];
  stream: string;
  text: string;
  reasoning: string;
  /** Absent: none. */
  calls?: RecordedCall[];
  result: CompletionResult;
}

export const DONE = 'data: [DONE]\n\n';

/** One event for each object; anything except plain `data:` is written out. */
export function events(...data: object[]): string {
  return data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
}

export function usage(
  prompt_tokens: number,
  completion_tokens: number,
  cached_tokens = 0,
  reasoning_tokens = 0,
  cache_write_tokens = 0,
) {
  return { prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens };
}

/** Chunks of one reply: each delta or choice in the provider's envelope. */
export function chunks(envelope: object, ...choices: object[]): string {
  return events(...choices.map((choice) => ({ ...envelope, choices: [{ index: 0, ...choice }] })));
}
