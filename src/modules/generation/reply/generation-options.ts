import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../integrations/llm/port/message-parts';
import type { Tightening } from '../acting/tool-policy';

/** How the model is to answer, beside what the agent says. The agent's own settings win. */
export interface GenerationOptions {
  /** Told after the agent's system prompt, for this reply alone. */
  instructions: string | null;
  /** Sampling settings that the agent leaves open. Of two limits of the reply's length, the smaller one counts. */
  parameters: ModelParameters;
  /** Functions that the model may ask to have called. */
  tools: readonly ToolDefinition[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  /** Whether nothing of the conversation may be left out: the reply fails when it is too long; absent: old messages may. */
  isWhole?: boolean;
  /** When the conversation is made shorter before the reply; absent: never. */
  compaction?: CompactionOption;
  /** How the policies of the agent were tightened; absent: not at all. */
  tightening?: Tightening;
}

/** `only`: the reply is nothing but that. A number: as soon as the prompt has so many tokens. */
export type CompactionOption = 'only' | number;

export const NO_OPTIONS: GenerationOptions = { instructions: null, parameters: {}, tools: [] };
