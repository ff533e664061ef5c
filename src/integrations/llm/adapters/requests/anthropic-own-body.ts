import type { AnthropicRequest } from '../../port/anthropic-request';
import type { CompletionRequest } from '../../port/language-model-provider';
import { isObject, type JsonObject } from '../json-object';
import { toAnthropicTools } from './anthropic-tools';

/**
 * The client's body with the agent's changes: model, settings and own tools, and the earlier rounds of the reply.
 *
 * @param settings of the agent, which replace those of the client
 */
export function toOwnBody(
  model: string,
  request: CompletionRequest & { anthropic: AnthropicRequest },
  settings: JsonObject,
): JsonObject {
  const { anthropic, anthropicTurns = [], tools = [] } = request;
  const { body, clientTools } = anthropic;
  const own = tools.filter(({ name }) => !clientTools.has(name));
  const { tools: ownTools } = toAnthropicTools({ model, messages: [], parameters: {}, tools: own });
  const turns = [...listIn(body.messages), ...anthropicTurns];
  return {
    ...body,
    model,
    ...settings,
    messages: turns,
    ...(own.length > 0 && { tools: [...listIn(body.tools), ...listIn(ownTools)] }),
    ...(anthropicTurns.length > 0 && isObject(body.tool_choice) && { tool_choice: unforced(body.tool_choice) }),
  };
}

/** After tool calls the model is no longer forced to call one. */
function unforced(choice: JsonObject): JsonObject {
  const { name: _name, ...others } = choice;
  return choice.type === 'any' || choice.type === 'tool' ? { ...others, type: 'auto' } : choice;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
