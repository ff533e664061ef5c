import type { ModelParameters } from '../port/language-model-provider';

/** Tokens for the reply when nobody names a limit; at most a quarter of the window. */
const REPLY_TOKENS = 1_024;

/** Tokens of a prompt that are kept free for the sentences that the service itself adds to it. */
export const ADDED_TOKENS = 40;

/**
 * Tokens that a window leaves for the prompt.
 *
 * @param window tokens of prompt and reply together
 */
export function promptRoom(window: number, { max_completion_tokens, max_tokens }: ModelParameters): number {
  const reply = max_completion_tokens ?? max_tokens ?? REPLY_TOKENS;
  return window - Math.min(reply, Math.floor(window / 4));
}
