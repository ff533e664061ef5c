import type { ModelMessage, ModelParameters } from './language-model-provider';
import { estimateTokens } from './token-estimate';

/** What the chat format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/** Room for the reply where nobody says how long it may be: so many tokens, at most a quarter of the window. */
const REPLY_TOKENS = 1_024;

/** Tokens of a prompt, rather too many than too few. */
export function estimatePrompt(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/** Tokens that a window leaves for the prompt. */
export function promptRoom(window: number, { max_completion_tokens, max_tokens }: ModelParameters): number {
  const reply = max_completion_tokens ?? max_tokens ?? REPLY_TOKENS;
  return window - Math.min(reply, Math.floor(window / 4));
}

/**
 * The newest turns that fit so many tokens. System prompt and last message always stay, and the first turn is the user's,
 * as some models want it.
 */
export function trimMessages(messages: readonly ModelMessage[], tokens: number): ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const turns = messages.filter(({ role }) => role !== 'system');
  const last = turns.slice(-1);
  let left = tokens - estimatePrompt([...system, ...last]);
  let first = turns.length - last.length;
  while (first > 0) {
    left -= estimateMessage(turns[first - 1] as ModelMessage);
    if (left < 0) {
      break;
    }
    first--;
  }
  while (first < turns.length - 1 && turns[first]?.role !== 'user') {
    first++;
  }
  return [...system, ...turns.slice(first)];
}

function estimateMessage({ content }: ModelMessage): number {
  return estimateTokens(content) + TOKENS_PER_MESSAGE;
}
