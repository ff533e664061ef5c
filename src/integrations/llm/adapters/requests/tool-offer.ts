import type { CompletionRequest } from '../../port/language-model-provider';
import type { ToolChoice, ToolDefinition } from '../../port/message-parts';
import type { JsonObject } from '../json-object';

/** The functions that a model may call now, and whether it must. */
export interface ToolOffer {
  tools: readonly ToolDefinition[];
  choice: Exclude<ToolChoice, { mode: string }> | undefined;
}

/** A choice among some functions means here that only those are offered: of all APIs only OpenAI's own has such a choice. */
export function toolOffer({ tools = [], toolChoice }: CompletionRequest): ToolOffer {
  if (typeof toolChoice !== 'object' || !('mode' in toolChoice)) {
    return { tools, choice: toolChoice };
  }
  const { mode, allowed } = toolChoice;
  return { tools: tools.filter(({ name }) => allowed.includes(name)), choice: mode };
}

/** The schema of a function without arguments. */
export const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
