import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { ToolChoice, ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import { FILE_SEARCH } from '../../../tool/tool.api';
import { refuseLongJson } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import type { OwnTool } from '../../tools/acting-tools';
import type { IgnoredTools } from '../../tools/ignored-tools';
import { allowedTools, chosenName, isExecutable, type OfferedTool, toDefinitions } from '../../tools/offered-tools';
import type { ToolResource } from '../wire/response-settings';
import type {
  CustomTool,
  FunctionTool,
  McpToolRequest,
  NamespaceTool,
  ServerChoice,
  ToolChoiceRequest,
  ToolRequest,
} from './tool-schema';

/**
 * The tools of a request in the format of the response, without unsupported types.
 *
 * @throws UnsupportedParameterError if unsupported types are refused; InvalidParameterError if the tools are too long
 */
export function keptTools(tools: readonly ToolRequest[], ignored: IgnoredTools): ToolResource[] {
  refuseLongJson(tools, 'tools');
  return tools.flatMap((tool, index): ToolResource[] => {
    const field = `tools[${index}]`;
    if ('server_label' in tool) {
      return [keptServer(tool)];
    }
    if ('vector_store_ids' in tool) {
      return [tool];
    }
    if (!('name' in tool)) {
      ignored.add(tool, field);
      return [];
    }
    return tool.type === 'namespace' ? keptNamespace(tool, field, ignored) : [tool];
  });
}

/**
 * The definitions of these tools for the model.
 *
 * @throws InvalidParameterError if two tools get the same name
 */
export function definitionsOf(tools: readonly ToolResource[]): ToolDefinition[] {
  return toDefinitions(clientTools(tools));
}

/** The tools that the client runs. */
export function clientTools(tools: readonly ToolResource[]): OfferedTool[] {
  return tools.flatMap((tool, index) => {
    const field = `tools[${index}]`;
    switch (tool.type) {
      case 'file_search':
      case 'mcp':
        return [];
      case 'namespace':
        return tool.tools.map((inner, place) => offered(inner, `${field}.tools[${place}]`, tool.name));
      default:
        return [offered(tool, field)];
    }
  });
}

/**
 * A choice may only name tools of its request.
 *
 * @param own the tools of the agent
 */
export function responseToolChoice(
  choice: ToolChoiceRequest,
  tools: readonly ToolDefinition[],
  own: readonly OwnTool[],
  searchesFiles: boolean,
): ToolChoice {
  if (typeof choice === 'string') {
    if (choice === 'required' && tools.length === 0 && own.length === 0 && !searchesFiles) {
      throw new InvalidParameterError([{ field: 'tools', reason: 'required' }]);
    }
    return choice;
  }
  if ('server_label' in choice) {
    return serverChoice(choice, own);
  }
  if ('tools' in choice) {
    return allowedTools(choice.tools, choice.mode, tools, 'tool_choice.tools');
  }
  if (choice.type === FILE_SEARCH) {
    if (!searchesFiles) {
      throw new InvalidParameterError([{ field: 'tool_choice', reason: 'not_allowed' }]);
    }
    return { name: FILE_SEARCH };
  }
  if (!isExecutable(choice)) {
    throw new UnsupportedParameterError('tool_choice.type');
  }
  return { name: chosenName(choice, tools, 'tool_choice.name') };
}

/** @throws InvalidParameterError if the agent has no such tool */
function serverChoice({ server_label, name }: ServerChoice, own: readonly OwnTool[]): ToolChoice {
  const allowed = own.filter(({ label, ownName }) => label === server_label && (!name || ownName === name));
  if (allowed.length === 0) {
    throw new InvalidParameterError([{ field: 'tool_choice.server_label', reason: 'not_allowed' }]);
  }
  return { mode: 'required', allowed: allowed.map((tool) => tool.name) };
}

/** The URL and credentials are not stored. */
function keptServer({
  server_url,
  connector_id: _none,
  authorization: _secret,
  headers: _more,
  ...tool
}: McpToolRequest): ToolResource {
  return typeof server_url === 'string' ? { ...tool, server_url } : tool;
}

function keptNamespace(namespace: NamespaceTool, field: string, ignored: IgnoredTools): ToolResource[] {
  const tools = namespace.tools.flatMap((tool, index): (FunctionTool | CustomTool)[] => {
    if (!('name' in tool)) {
      ignored.add(tool, `${field}.tools[${index}]`);
      return [];
    }
    return [tool];
  });
  return tools.length === 0 ? [] : [{ ...namespace, tools }];
}

function offered(tool: FunctionTool | CustomTool, field: string, namespace?: string): OfferedTool {
  const { type, name, description = null } = tool;
  const called = { type, name, ...(namespace !== undefined && { namespace }) };
  return tool.type === 'function'
    ? { tool: called, description, parameters: tool.parameters, strict: tool.strict, field }
    : { tool: called, description, parameters: null, strict: null, format: tool.format, field };
}
