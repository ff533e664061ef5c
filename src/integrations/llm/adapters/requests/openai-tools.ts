import type { CompletionRequest } from '../../port/language-model-provider';
import type { ResponseFormat, ToolDefinition } from '../../port/message-parts';
import { isForm } from '../../port/request-features';
import type { JsonObject } from '../json-object';
import { NO_ARGUMENTS, type OfferedTools, offeredTools } from './tool-turns';

/** The fields of a body of `/chat/completions` for functions and the response format; none for plain text. */
export function toOpenAiTools(request: CompletionRequest): JsonObject {
  const { parallelToolCalls, responseFormat, adjustments } = request;
  const offer = offeredTools(request);
  const mayBeStrict = adjustments?.strict === undefined;
  // The API refuses a choice without functions.
  const hasTools = offer.tools.length > 0;
  return {
    ...(hasTools && { tools: offer.tools.map((tool) => toWireTool(tool, mayBeStrict)) }),
    ...(hasTools && offer.choice !== undefined && { tool_choice: toWireChoice(offer.choice) }),
    ...(hasTools && parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(isForm(responseFormat) && { response_format: toWireFormat(responseFormat, mayBeStrict) }),
  };
}

function toWireTool({ name, description, parameters, strict }: ToolDefinition, mayBeStrict: boolean): object {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== null && { description }),
      // The field is optional at OpenAI, but some servers require it.
      parameters: parameters ?? NO_ARGUMENTS,
      ...(mayBeStrict && strict !== null && { strict }),
    },
  };
}

function toWireChoice(choice: NonNullable<OfferedTools['choice']>): string | object {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function toWireFormat(format: Exclude<ResponseFormat, { type: 'text' }>, mayBeStrict: boolean): object {
  if (format.type === 'json_object') {
    return { type: 'json_object' };
  }
  const { name, description, schema, strict } = format;
  return {
    type: 'json_schema',
    json_schema: {
      name,
      ...(description !== null && { description }),
      schema,
      ...(mayBeStrict && strict !== null && { strict }),
    },
  };
}
