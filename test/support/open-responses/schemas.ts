/**
 * The definitions of responses, items and events in Open Responses 2026-04-24, as JSON Schema. They follow the
 * standard's text, and are stricter than its own schemas if those allow additional names: no value may be absent, and
 * no field of an event unknown.
 */
import {
  approvalRequest,
  approvalResponse,
  fileCitation,
  fileSearchCall,
  fileSearchTool,
  mcpCall,
  mcpChoice,
  mcpListTools,
  mcpTool,
} from './own-call-schemas';
import { constant, integer, list, nullable, number, object, type Schema, string } from './schema-words';

const itemStatus: Schema = { enum: ['in_progress', 'completed', 'incomplete'] };

const outputText = object({
  type: constant('output_text'),
  text: string,
  annotations: list(fileCitation),
  logprobs: list(object({})),
});

const reasoningText = object({ type: constant('reasoning_text'), text: string });

const summaryText = object({ type: constant('summary_text'), text: string });

const inputContent: Schema = {
  anyOf: [
    object({ type: constant('input_text'), text: string }),
    object({ type: constant('input_image'), image_url: nullable(string), detail: { enum: ['low', 'high', 'auto'] } }),
    object({ type: constant('input_file'), filename: string, file_url: string }, ['filename', 'file_url']),
  ],
};

const message = object(
  {
    type: constant('message'),
    id: { type: 'string', pattern: '^msg_\\d+(_\\d+)?$' },
    status: itemStatus,
    role: { enum: ['user', 'assistant', 'system', 'developer'] },
    content: list({ anyOf: [outputText, inputContent] }),
    phase: string,
  },
  ['phase'],
);

/** A call; `namespace` and custom tools are OpenAI's. */
function callItem(type: string, prefix: string, member: string): Schema {
  return object(
    {
      type: constant(type),
      id: { type: 'string', pattern: `^${prefix}_\\d+_\\d+$` },
      call_id: { type: 'string', minLength: 1 },
      name: { type: 'string', minLength: 1 },
      namespace: { type: 'string', minLength: 1 },
      [member]: string,
      status: itemStatus,
    },
    ['namespace'],
  );
}

function outputItemOf(type: string, prefix: string): Schema {
  return object({
    type: constant(type),
    id: { type: 'string', pattern: `^${prefix}_\\d+_\\d+$` },
    call_id: string,
    output: { anyOf: [string, list(inputContent)] },
    status: itemStatus,
  });
}

const functionCall = callItem('function_call', 'fc', 'arguments');
const customCall = callItem('custom_tool_call', 'ctc', 'input');
const outputs = [outputItemOf('function_call_output', 'fco'), outputItemOf('custom_tool_call_output', 'ctco')];

/** OpenAI's: it is empty until it is sent. */
const compaction = object({
  type: constant('compaction'),
  id: { type: 'string', pattern: '^cmp_\\d+_\\d+$' },
  encrypted_content: string,
});

const reasoning = object({
  type: constant('reasoning'),
  id: { type: 'string', pattern: '^rs_\\d+_\\d+$' },
  status: itemStatus,
  summary: list(summaryText),
  content: list(reasoningText),
});

const said = [
  message,
  functionCall,
  customCall,
  reasoning,
  compaction,
  approvalRequest,
  mcpCall,
  fileSearchCall,
  mcpListTools,
];

const outputItem: Schema = { anyOf: said };

export const ITEM: Schema = { anyOf: [...said, ...outputs, approvalResponse] };

const functionTool = object({
  type: constant('function'),
  name: string,
  description: nullable(string),
  parameters: nullable({ type: 'object' }),
  strict: nullable({ type: 'boolean' }),
});

const customTool = object({ type: constant('custom'), name: string, description: string, format: { type: 'object' } }, [
  'description',
  'format',
]);

const namespace = object(
  {
    type: constant('namespace'),
    name: string,
    description: string,
    tools: list({ anyOf: [functionTool, customTool] }),
  },
  ['description'],
);

/** The items that are not functions are OpenAI's. */
const tool: Schema = { anyOf: [functionTool, customTool, namespace, mcpTool, fileSearchTool] };

const namedTool = object({ type: string, name: string, namespace: string }, ['name', 'namespace']);
const mode: Schema = { enum: ['none', 'auto', 'required'] };

const toolChoice: Schema = {
  anyOf: [
    mode,
    namedTool,
    mcpChoice,
    object({ type: constant('file_search') }),
    object({ type: constant('allowed_tools'), tools: list(namedTool), mode }),
  ],
};

const text = object(
  {
    format: {
      anyOf: [
        object({ type: constant('text') }),
        object({ type: constant('json_object') }),
        object({
          type: constant('json_schema'),
          name: string,
          description: nullable(string),
          schema: { type: 'object' },
          strict: { type: 'boolean' },
        }),
      ],
    },
    verbosity: { enum: ['low', 'medium', 'high'] },
  },
  ['verbosity'],
);

const usage = object({
  input_tokens: integer,
  // OpenAI sends the second one, and its package depends on it.
  input_tokens_details: object({ cached_tokens: integer, cache_write_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: object({ reasoning_tokens: integer }),
  total_tokens: integer,
});

/** The 31 members that the standard requires, and the two that this service adds in OpenAI's form. */
const responseMembers: Record<string, Schema> = {
  id: { type: 'string', pattern: '^resp_\\d+(_\\d+)?$' },
  object: constant('response'),
  created_at: integer,
  completed_at: nullable(integer),
  status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
  incomplete_details: nullable(object({ reason: string })),
  model: string,
  previous_response_id: nullable(string),
  instructions: nullable(string),
  output: list(outputItem),
  error: nullable(object({ code: string, message: { type: 'string', minLength: 1 } })),
  tools: list(tool),
  tool_choice: toolChoice,
  truncation: { enum: ['auto', 'disabled'] },
  parallel_tool_calls: { type: 'boolean' },
  text,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  temperature: number,
  reasoning: nullable(object({ effort: nullable(string), summary: nullable(string) })),
  usage: nullable(usage),
  max_output_tokens: nullable(integer),
  max_tool_calls: nullable(integer),
  store: { type: 'boolean' },
  background: { type: 'boolean' },
  service_tier: string,
  metadata: { type: 'object', additionalProperties: string },
  safety_identifier: nullable(string),
  prompt_cache_key: nullable(string),
};

export const REQUIRED_MEMBERS = Object.keys(responseMembers);

/** What each status implies for the other members. */
const consistent: Schema[] = [
  whenStatus(['completed'], { completed_at: integer, error: { type: 'null' }, incomplete_details: { type: 'null' } }),
  whenStatus(['failed'], { error: { type: 'object' } }),
  whenStatus(['incomplete'], { incomplete_details: { type: 'object' }, error: { type: 'null' } }),
  whenStatus(['queued', 'in_progress'], { completed_at: { type: 'null' }, error: { type: 'null' } }),
];

export const RESPONSE: Schema = {
  ...object({
    ...responseMembers,
    user: nullable(string),
    conversation: nullable(object({ id: { type: 'string', pattern: '^conv_\\d+$' } })),
  }),
  allOf: consistent,
};

function whenStatus(statuses: string[], properties: Record<string, Schema>): Schema {
  return { if: { properties: { status: { enum: statuses } } }, then: { properties } };
}

function event(type: string, members: Record<string, Schema>): [string, Schema] {
  return [type, object({ type: constant(type), sequence_number: integer, ...members })];
}

const ofItem = { item_id: { type: 'string', minLength: 1 }, output_index: integer };
const ofPart = { ...ofItem, content_index: integer };
const part: Schema = { anyOf: [outputText, reasoningText] };
const ofSummary = { ...ofItem, summary_index: integer };

const NAMES = ['created', 'in_progress', 'completed', 'incomplete', 'failed'];

/** The schema of each event that this service sends, by its type. */
export const EVENTS = new Map<string, Schema>([
  ...NAMES.map((name) => event(`response.${name}`, { response: RESPONSE })),
  ...['added', 'done'].map((end) => event(`response.output_item.${end}`, { output_index: integer, item: outputItem })),
  ...['added', 'done'].map((end) => event(`response.content_part.${end}`, { ...ofPart, part })),
  event('response.output_text.delta', { ...ofPart, delta: string, logprobs: list(object({})) }),
  event('response.output_text.done', { ...ofPart, text: string, logprobs: list(object({})) }),
  event('response.reasoning.delta', { ...ofPart, delta: string }),
  event('response.reasoning.done', { ...ofPart, text: string }),
  // OpenAI's names of both, for its own packages.
  event('response.reasoning_text.delta', { ...ofPart, delta: string }),
  event('response.reasoning_text.done', { ...ofPart, text: string }),
  ...['added', 'done'].map((end) =>
    event(`response.reasoning_summary_part.${end}`, { ...ofSummary, part: summaryText }),
  ),
  event('response.reasoning_summary_text.delta', { ...ofSummary, delta: string }),
  event('response.reasoning_summary_text.done', { ...ofSummary, text: string }),
  event('response.function_call_arguments.delta', { ...ofItem, delta: string }),
  event('response.function_call_arguments.done', { ...ofItem, name: string, arguments: string }),
  event('response.custom_tool_call_input.delta', { ...ofItem, delta: string }),
  event('response.custom_tool_call_input.done', { ...ofItem, input: string }),
  ...['in_progress', 'completed', 'failed'].map((state) => event(`response.mcp_call.${state}`, ofItem)),
  ...['in_progress', 'completed'].map((state) => event(`response.mcp_list_tools.${state}`, ofItem)),
  ...['in_progress', 'searching', 'completed'].map((state) => event(`response.file_search_call.${state}`, ofItem)),
  event('response.output_text.annotation.added', {
    ...ofPart,
    annotation_index: integer,
    annotation: fileCitation,
  }),
  event('response.mcp_call_arguments.delta', { ...ofItem, delta: string }),
  event('response.mcp_call_arguments.done', { ...ofItem, arguments: string }),
]);
