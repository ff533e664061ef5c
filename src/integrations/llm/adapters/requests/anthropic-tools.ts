import type { CompletionRequest } from '../../port/language-model-provider';
import type { ResponseFormat, ToolDefinition } from '../../port/message-parts';
import { isObject, type JsonObject } from '../json-object';
import { NO_ARGUMENTS, type OfferedTools, offeredTools } from './tool-turns';

const CHOICES = { auto: 'auto', required: 'any', none: 'none' } as const;

/** The API has no parameter for this format. */
const JSON_INSTRUCTION = 'Answer with one JSON object and nothing else: no sentence before or after it, no code fence.';

/** The fields of a Messages API body for functions and the response format; none for plain text. */
export function toAnthropicTools(request: CompletionRequest): JsonObject {
  const { responseFormat, adjustments } = request;
  const offer = offeredTools(request);
  const mayBeStrict = adjustments?.strict === undefined;
  return {
    ...(offer.tools.length > 0 ? toToolFields(offer, request.parallelToolCalls, mayBeStrict) : toPastTools(request)),
    ...(responseFormat?.type === 'json_schema' && {
      output_config: { format: { type: 'json_schema', schema: closed(responseFormat.schema) } },
    }),
  };
}

/** The instruction about the response format for the system prompt; null: none. */
export function formInstruction(format: ResponseFormat | undefined): string | null {
  return format?.type === 'json_object' ? JSON_INSTRUCTION : null;
}

function toToolFields(
  { tools, choice }: OfferedTools,
  parallel: boolean | undefined,
  mayBeStrict: boolean,
): JsonObject {
  const isDefault = choice === undefined && parallel !== false;
  return {
    tools: tools.map((tool) => toWireTool(tool, mayBeStrict)),
    ...(!isDefault && { tool_choice: toWireChoice(choice ?? 'auto', parallel) }),
  };
}

function toWireTool({ name, description, parameters, strict }: ToolDefinition, mayBeStrict: boolean): object {
  const schema: JsonObject = { type: 'object', ...(parameters ?? NO_ARGUMENTS) };
  const isStrict = mayBeStrict && strict === true;
  return {
    name,
    ...(description !== null && { description }),
    input_schema: isStrict ? closed(schema) : schema,
    ...(isStrict && { strict }),
  };
}

function toWireChoice(choice: NonNullable<OfferedTools['choice']>, parallel: boolean | undefined): object {
  const wire = typeof choice === 'string' ? { type: CHOICES[choice] } : { type: 'tool', name: choice.name };
  return parallel === false && wire.type !== 'none' ? { ...wire, disable_parallel_tool_use: true } : wire;
}

/**
 * The API refuses earlier calls without any functions. A request that offers none lists the functions of earlier calls,
 * and forbids calling them.
 */
function toPastTools({ messages }: CompletionRequest): JsonObject {
  const parts = messages.flatMap((message) => message.parts ?? []);
  const names = new Set(parts.flatMap((part) => (part.type === 'tool_call' ? [part.name] : [])));
  return names.size === 0
    ? {}
    : {
        tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
        tool_choice: { type: 'none' },
      };
}

/**
 * A schema whose objects allow no further members. The API requires this for each object, and its own clients add it
 * too.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(closed);
  }
  if (!isObject(schema)) {
    return schema;
  }
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return copy.type === 'object' ? { additionalProperties: false, ...copy } : copy;
}
