import { estimateParts, partText } from '../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import type { Agent } from '../../agent/agent.api';
import { NO_COUNTS, type TokenCounts } from '../reply/generation-task';
import type { StoredPart, Turn } from '../reply/stored-parts';

/** Maximum messages for agents without a limit. */
const DEFAULT_CONTEXT_MESSAGES = 200;

/** Tokens that the chat format adds to each message. */
export const TOKENS_PER_MESSAGE = 4;

/** Maximum number of messages in the prompt of an agent, including the last one. */
export function mostMessages({ contextMaxMessages }: Agent): number {
  return contextMaxMessages ?? DEFAULT_CONTEXT_MESSAGES;
}

/** Tokens of a text: counted if available, otherwise estimated. */
export function tokensOf(text: string, tokenCounts: TokenCounts = NO_COUNTS): number {
  return tokenCounts.get(text) ?? estimateTokens(text);
}

/** Estimated tokens of a turn. @param stored its stored parts, for a turn whose parts are not loaded */
export function tokensOfTurn(
  { content, parts, stored = null }: Turn & { stored?: StoredPart[] | null },
  tokenCounts?: TokenCounts,
): number {
  const others = (parts ?? stored ?? []).filter(({ type }) => type !== 'text' && type !== 'tool_result');
  return tokensOf(content, tokenCounts) + estimateParts(others);
}

/** Length of all texts, in UTF-16 code units. */
export function promptLength(messages: readonly ModelMessage[]): number {
  const texts = messages.flatMap(({ content, parts }) => parts?.map(partText) ?? content);
  return texts.reduce((sum, { length }) => sum + length, 0);
}
