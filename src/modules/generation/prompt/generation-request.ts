import type { GenerationRequest } from '../../../integrations/llm/port/completion';
import type { ModelMessage, ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import type { ModelsOfAgent } from '../../../integrations/llm/port/model-reference';
import type { Agent } from '../../agent/agent.api';
import type { RelayTariffs } from '../relaying/relay-order';
import type { GenerationOptions, GenerationTask, HeldForReply } from '../reply/generation-task';
import { isBinary } from '../reply/stored-parts';

/** A request to models that is about to be made. */
export interface PlannedRequest {
  models: ModelsOfAgent;
  /** Maximum tokens of the prompt, including functions and files. */
  prompt: number;
  /** The same with texts counted by o200k_base. Null: no budget with a hard limit applies. */
  countedTokens: number | null;
  /** Number of images in the prompt. */
  images: number;
  /** Maximum tokens of the reply. */
  output: number;
  /** The tariffs that it may be billed by. Absent: the base tariff. */
  tariffs?: RelayTariffs;
  /** Most web searches that the provider may make. Absent: none. */
  webSearches?: number;
}

/** The request to the models of an agent. @param held limits that the request must respect. Null: none */
export function generationRequest(
  { agent, language, options }: Pick<GenerationTask, 'agent' | 'language' | 'options'>,
  messages: ModelMessage[],
  held: Pick<HeldForReply, 'bound' | 'outputLimit'> | null = null,
): GenerationRequest {
  return {
    provider: agent.provider,
    model: agent.model,
    messages,
    parameters: withLimit(modelParameters(agent, options), held?.outputLimit ?? null),
    ...(options !== null && {
      tools: options.tools,
      toolChoice: options.toolChoice,
      parallelToolCalls: options.parallelToolCalls,
      responseFormat: options.responseFormat,
      isWhole: options.isWhole,
      anthropic: options.anthropic,
    }),
    fallbackModels: agent.fallbackModels,
    timeoutSeconds: agent.timeoutSeconds,
    language: language ?? undefined,
    ...(held?.bound && { bound: held.bound }),
  };
}

/** Sends the held output limit to the model, unless the request has a limit of its own. */
export function withLimit(parameters: ModelParameters, limit: number | null): ModelParameters {
  return limit === null || outputLimitOf(parameters) !== null ? parameters : { ...parameters, max_tokens: limit };
}

/** Maximum tokens of the reply. Null: not limited. */
export function outputLimitOf({ max_tokens, max_completion_tokens }: ModelParameters): number | null {
  const limits = [max_tokens, max_completion_tokens].filter((limit) => limit !== undefined);
  return limits.length > 0 ? Math.min(...limits) : null;
}

/** Merges the parameters. The agent's own settings win. Of two output limits, the smaller one applies. */
export function modelParameters(
  { modelParams }: Pick<Agent, 'modelParams'>,
  options: GenerationOptions | null,
): ModelParameters {
  if (options === null) {
    return modelParams;
  }
  const { max_tokens, max_completion_tokens, ...wished } = options.parameters;
  const limits = [max_tokens, max_completion_tokens, modelParams.max_tokens, modelParams.max_completion_tokens].filter(
    (limit) => limit !== undefined,
  );
  const { max_tokens: _own, max_completion_tokens: _ownToo, ...own } = modelParams;
  return { ...wished, ...own, ...(limits.length > 0 && { max_tokens: Math.min(...limits) }) };
}

/**
 * Whether the prompt contains untrusted content: files, tool results sent by a client, or a summary of unknown origin.
 */
export function hasOutside(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    ({ parts, hasSummary }) =>
      hasSummary === true ||
      parts?.some((part) => isBinary(part) || (part.type === 'tool_result' && part.is_error === undefined)),
  );
}
