import { estimateParts, partText } from '../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import type { Agent } from '../../agent/agent.api';
import { type CountedTexts, NOTHING_COUNTED } from '../reply/generation-task';
import type { StoredPart, Turn } from '../reply/stored-parts';

/** The most messages for agents that set no limit. */
const DEFAULT_CONTEXT_MESSAGES = 200;

/** Tokens that the chat format adds to each message. */
export const TOKENS_PER_MESSAGE = 4;

/** How many messages an agent is told at most, the last one included. */
export function mostMessages({ contextMaxMessages }: Agent): number {
  return contextMaxMessages ?? DEFAULT_CONTEXT_MESSAGES;
}

/** Tokens of a text: as counted, else estimated. */
export function tokensOf(text: string, counted: CountedTexts = NOTHING_COUNTED): number {
  return counted.get(text) ?? estimateTokens(text);
}

/** Rough tokens of a turn. @param stored its parts as they are stored, where those as they are told are not at hand */
export function tokensOfTurn(
  { content, parts, stored = null }: Turn & { stored?: StoredPart[] | null },
  counted?: CountedTexts,
): number {
  const others = (parts ?? stored ?? []).filter(({ type }) => type !== 'text' && type !== 'tool_result');
  return tokensOf(content, counted) + estimateParts(others);
}

/** UTF-16 units of all texts. */
export function lengthOf(messages: readonly ModelMessage[]): number {
  const texts = messages.flatMap(({ content, parts }) => parts?.map(partText) ?? content);
  return texts.reduce((sum, { length }) => sum + length, 0);
}
