import type { ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import type { Agent } from '../../../agent/agent.api';
import { type GenerationOptions, modelToolName } from '../../../generation/generation.api';
import { type CountRequest, type CustomTool, isCustom, type RequestTool } from './message-request.schema';
import { refuseIf } from './refuse-if';
import type { AgentTools } from './request-tools';

/** The name of the response format, which other APIs require. */
const FORMAT_NAME = 'response';

/** Other APIs have no higher effort than `high`. */
const EFFORTS: Readonly<Record<string, string>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/**
 * Converts the settings of a request to generation options. The conversation is never shortened.
 *
 * @throws InvalidParameterError for two tools with one name, and for a `tool_choice` without its tool
 */
export function requestOptions(request: CountRequest, { names, withheld }: AgentTools): GenerationOptions {
  const { tool_choice: choice, output_config: output } = request;
  const tools = toDefinitions(request.tools ?? [], names);
  const toolChoice = toToolChoice(choice, tools, names.length > withheld.length);
  const isSingle = choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true;
  return {
    instructions: null,
    parameters: parametersOf(request),
    tools,
    isWhole: true,
    ...(toolChoice !== undefined && { toolChoice }),
    ...(isSingle && tools.length > 0 && { parallelToolCalls: false }),
    ...(output?.format && { responseFormat: toFormat(output.format.schema) }),
  };
}

/** Most APIs accept no more. */
const MOST_STOPS = 4;

/**
 * The agent with the settings of a request that its own do not replace: the stop sequences of both apply.
 *
 * @param timeoutSeconds for the whole response, if the agent has no limit of its own
 */
export function withSettings(agent: Agent, stopSequences: readonly string[], timeoutSeconds: number): Agent {
  const { modelParams } = agent;
  const stop = [...new Set([modelParams.stop ?? [], stopSequences].flat())];
  return {
    ...agent,
    modelParams: stop.length === 0 ? modelParams : { ...modelParams, stop },
    timeoutSeconds: agent.timeoutSeconds ?? timeoutSeconds,
  };
}

/** @throws InvalidParameterError if agent and request together have too many stop sequences */
export function refuseManyStops({ modelParams }: Agent): void {
  refuseIf([modelParams.stop ?? []].flat().length > MOST_STOPS, 'stop_sequences', 'too_many_items', {
    maximum: MOST_STOPS,
  });
}

function parametersOf({ max_tokens, temperature, top_p, output_config }: CountRequest): ModelParameters {
  const given = {
    max_tokens,
    temperature,
    top_p,
    reasoning_effort: EFFORTS[output_config?.effort ?? ''],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

/** @throws InvalidParameterError */
function toDefinitions(tools: readonly RequestTool[], ownTools: readonly string[]): ToolDefinition[] {
  const taken = new Set(ownTools);
  return tools.flatMap((tool, index) => {
    if (!isCustom(tool)) {
      return [];
    }
    const definition = toDefinition(tool);
    refuseIf(taken.has(definition.name), `tools.${index}.name`, 'duplicate');
    taken.add(definition.name);
    return [definition];
  });
}

function toDefinition({
  name,
  description = null,
  input_schema: parameters,
  strict = null,
}: CustomTool): ToolDefinition {
  const tool = { type: 'function', name } as const;
  const promptName = modelToolName(tool);
  return { name: promptName, description, parameters, strict, ...(promptName !== name && { tool }) };
}

/** @throws InvalidParameterError */
function toToolChoice(
  choice: CountRequest['tool_choice'],
  tools: readonly ToolDefinition[],
  isActing: boolean,
): ToolChoice | undefined {
  const hasTools = isActing || tools.length > 0;
  switch (choice?.type) {
    case 'tool': {
      const name = modelToolName({ name: choice.name });
      refuseIf(!tools.some((tool) => tool.name === name), 'tool_choice.name', 'not_offered');
      return { name };
    }
    case 'any':
      refuseIf(!hasTools, 'tool_choice', 'conflicts');
      return 'required';
    case 'auto':
    case 'none':
      return hasTools ? choice.type : undefined;
    case undefined:
      return undefined;
  }
}

function toFormat(schema: Record<string, unknown>): ResponseFormat {
  return { type: 'json_schema', name: FORMAT_NAME, description: null, schema, strict: null };
}
