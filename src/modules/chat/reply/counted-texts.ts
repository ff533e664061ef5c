import { estimateTokens } from '../../../integrations/llm/token-estimate';

/** Exact tokens of those texts for which an estimate was not good enough. */
export type CountedTexts = ReadonlyMap<string, number>;

export const NOTHING_COUNTED: CountedTexts = new Map();

/** Tokens of a text: counted where it was, else estimated. */
export function tokensOf(text: string, counted: CountedTexts): number {
  return counted.get(text) ?? estimateTokens(text);
}
