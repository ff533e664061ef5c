import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { SEARCH_FIELDS } from '../../../knowledge/knowledge.api';

const jsonObject = v.record(v.string(), v.unknown());

const functionTool = v.object({
  type: v.literal('function'),
  name: v.string(),
  description: v.nullable(v.string()),
  parameters: v.nullable(jsonObject),
  strict: v.nullable(v.boolean()),
});

const customTool = v.object({
  type: v.literal('custom'),
  name: v.string(),
  description: v.optional(v.nullable(v.string())),
  format: v.optional(
    v.nullable(v.object({ type: v.string(), syntax: v.optional(v.string()), definition: v.optional(v.string()) })),
  ),
});

const namespaceTool = v.object({
  type: v.literal('namespace'),
  name: v.string(),
  description: v.optional(v.nullable(v.string())),
  tools: v.array(v.variant('type', [functionTool, customTool])),
});

const toolFilter = v.object({ tool_names: v.optional(v.array(v.string())), read_only: v.optional(v.boolean()) });

const mcpTool = v.object({
  type: v.literal('mcp'),
  server_label: v.string(),
  server_description: v.optional(v.nullable(v.string())),
  server_url: v.optional(v.string()),
  allowed_tools: v.optional(v.nullable(v.union([v.array(v.string()), toolFilter]))),
  require_approval: v.optional(
    v.nullable(
      v.union([
        v.picklist(['always', 'never']),
        v.object({ always: v.optional(toolFilter), never: v.optional(toolFilter) }),
      ]),
    ),
  ),
});

const fileSearchTool = v.object({
  type: v.literal('file_search'),
  vector_store_ids: v.array(v.string()),
  filters: SEARCH_FIELDS.filters,
  max_num_results: SEARCH_FIELDS.max_num_results,
  ranking_options: SEARCH_FIELDS.ranking_options,
});

const toolResource = v.variant('type', [functionTool, customTool, namespaceTool, mcpTool, fileSearchTool]);

const named = { name: v.string(), namespace: v.optional(v.nullable(v.string())) };

const namedTool = v.object({ ...named, type: v.picklist(['function', 'custom']) });

/** Unsupported tools are reduced to their type and name. */
const allowedTool = v.object({ ...named, type: v.string(), name: v.optional(v.string()) });

const namedServer = v.object({
  type: v.literal('mcp'),
  server_label: v.string(),
  name: v.optional(v.nullable(v.string())),
});

const toolChoiceResource = v.union([
  v.picklist(['none', 'auto', 'required']),
  namedTool,
  namedServer,
  v.object({ type: v.literal('file_search') }),
  v.object({
    type: v.literal('allowed_tools'),
    mode: v.picklist(['auto', 'required', 'none']),
    tools: v.array(allowedTool),
  }),
]);

const textFormat = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    name: v.string(),
    description: v.nullable(v.string()),
    schema: jsonObject,
    strict: v.boolean(),
  }),
]);

const count = v.pipe(v.number(), v.integer());

/** The request settings that the specification repeats in every response. They are stored with the response. */
export const responseSettings = v.object({
  model: described(v.string(), 'Agent or model, as named by the client.', 'General assistant'),
  instructions: described(v.nullable(v.string()), 'Instructions for the model, after those of the agent.', 'Be short.'),
  previous_response_id: described(v.nullable(v.string()), 'Id of the response that this one continues.', 'resp_1'),
  tools: described(v.array(toolResource), 'Tools that the model may call, without ignored ones.'),
  tool_choice: described(toolChoiceResource, 'Which tools the model may or must call.'),
  parallel_tool_calls: described(v.boolean(), 'Whether the model may call several functions at once.', true),
  text: described(
    v.object({ format: textFormat, verbosity: v.optional(v.picklist(['low', 'medium', 'high'])) }),
    'Format of the text.',
  ),
  reasoning: described(
    v.nullable(v.object({ effort: v.nullable(v.string()), summary: v.nullable(v.string()) })),
    'Reasoning settings of the model.',
  ),
  temperature: described(v.number(), 'Sampling temperature.', 1),
  top_p: described(v.number(), 'Nucleus sampling.', 1),
  presence_penalty: described(v.number(), 'Penalty for tokens that already occur.', 0),
  frequency_penalty: described(v.number(), 'Penalty for tokens that occur often.', 0),
  max_output_tokens: described(v.nullable(count), 'Maximum output tokens; null if there is no limit.', 800),
  max_tool_calls: described(v.nullable(count), 'Always null, because the limits of the agent apply.', null),
  truncation: v.optional(v.picklist(['auto', 'disabled'])),
  store: described(v.boolean(), 'Whether the response is stored.', true),
  background: described(v.boolean(), 'Whether the response runs in the background.', false),
  metadata: described(v.record(v.string(), v.string()), 'Key-value pairs of the client.'),
  user: described(v.nullable(v.string()), 'Returned as sent by the client.', 'u-17'),
  safety_identifier: described(v.nullable(v.string()), 'Returned as sent by the client.', 'u-17'),
  prompt_cache_key: described(v.nullable(v.string()), 'Returned as sent by the client.', 'guide'),
});

export type ResponseSettings = v.InferOutput<typeof responseSettings>;
export type ToolFilterResource = v.InferOutput<typeof toolFilter>;
export type McpToolResource = v.InferOutput<typeof mcpTool>;
export type ToolResource = v.InferOutput<typeof toolResource>;
export type ToolChoiceResource = v.InferOutput<typeof toolChoiceResource>;

/** Whether reasoning items repeat their text as a summary. */
export function hasSummaries({ reasoning }: Pick<ResponseSettings, 'reasoning'>): boolean {
  return (reasoning?.summary ?? null) !== null;
}
