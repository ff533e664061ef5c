import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { idText, itemText, typeText } from '../../input/item-text';
import { assistantContent, instructionContent, responseUserContent, resultContent } from './content-schema';

/** The known item types. Items of other types come from other API versions and are skipped. */
export const KNOWN_TYPES: readonly string[] = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'compaction',
  'compaction_trigger',
  'reasoning',
  'item_reference',
  'mcp_approval_response',
  'mcp_approval_request',
  'mcp_call',
  'mcp_list_tools',
  'file_search_call',
];

const callId = described(v.pipe(v.string(), v.minLength(1), v.maxLength(256)), 'Identifies the call and its result.');

/** In characters. */
const LONGEST_REASON = 1_000;

/** A message may omit `type`. */
const message = { type: v.optional(v.literal('message')) };

const called = {
  call_id: callId,
  name: described(v.pipe(v.string(), v.minLength(1), v.maxLength(256)), 'Name of the function or tool.'),
  namespace: described(v.nullish(v.pipe(v.string(), v.maxLength(256))), 'Group of the function or tool.'),
};

/** The phase of an assistant message, such as a comment or the final answer. It is not part of the prompt. */
const phase = described(v.nullish(v.pipe(v.string(), v.maxLength(64))), 'Not sent to the model.');

const serverLabel = described(v.pipe(v.string(), v.maxLength(64)), 'Label of the module or server.', 'orders');

const said = described(responseUserContent, 'Content of the user message.');

/** An input item. Unknown members are ignored, because clients send items back with their IDs and states. */
export const inputItem = v.variant('type', [
  v.variant('role', [
    v.object({ ...message, role: v.literal('user'), content: said }),
    v.object({
      ...message,
      role: v.literal('assistant'),
      content: described(v.nullable(assistantContent), 'Content of the reply; null if there is none.'),
      phase,
    }),
    v.object({
      ...message,
      role: described(v.picklist(['system', 'developer']), 'Both roles mean the same.'),
      content: described(instructionContent, 'Instructions for the model.'),
    }),
  ]),
  v.object({
    ...called,
    type: v.literal('function_call'),
    arguments: described(itemText, 'Arguments as JSON, as written by the model.'),
  }),
  v.object({ ...called, type: v.literal('custom_tool_call'), input: described(itemText, 'Plain text.') }),
  v.object({
    type: described(v.picklist(['function_call_output', 'custom_tool_call_output']), 'The type of the call.'),
    call_id: callId,
    output: described(resultContent, 'Result of the call.'),
  }),
  v.object({ type: v.literal('compaction'), encrypted_content: described(itemText, 'Unchanged from the response.') }),
  v.object({ type: v.literal('compaction_trigger') }),
  v.object({
    type: v.literal('mcp_approval_response'),
    approval_request_id: described(idText, 'Id of the `mcp_approval_request` to decide.', 'mcpr_2_0'),
    approve: described(v.boolean(), 'Whether the tool may be called.', true),
    reason: described(
      v.nullish(v.pipe(v.string(), v.maxLength(LONGEST_REASON))),
      'Reason for the model if the call is denied.',
    ),
  }),
  v.object({
    type: described(v.literal('mcp_call'), 'Sent to the model as a tool call with its result.'),
    server_label: serverLabel,
    name: described(v.pipe(v.string(), v.minLength(1), v.maxLength(256)), 'Name of the tool on its server.'),
    arguments: described(itemText, 'Arguments as JSON, as received by the tool.'),
    output: described(v.nullish(itemText), 'Result of the call.'),
    error: described(v.nullish(v.union([itemText, v.looseObject({})])), 'Reason of the failure.'),
  }),
  v.object({
    type: described(v.literal('file_search_call'), 'With `results`, sent to the model as a search and what it found.'),
    queries: described(v.nullish(v.pipe(v.array(itemText), v.maxLength(64)), []), 'What was searched for.'),
    results: described(
      v.nullish(
        v.pipe(v.array(v.object({ filename: v.nullish(itemText), text: v.nullish(itemText) })), v.maxLength(64)),
      ),
      'Passages. Without them, the item is ignored.',
    ),
  }),
  v.object({
    type: described(v.literal('mcp_list_tools'), 'The tools of this server are not listed again.'),
    server_label: serverLabel,
  }),
  v.object({ type: described(v.literal('mcp_approval_request'), 'Ignored, because the call contains the outcome.') }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.nullish(v.literal('item_reference')), id: described(idText, 'Id of a stored item.') }),
  v.object({ type: described(v.pipe(typeText, v.notValues(KNOWN_TYPES)), 'Ignored by the service.') }),
]);

export type ServerCallItem = Extract<v.InferOutput<typeof inputItem>, { type: 'mcp_call' }>;
export type SearchItem = Extract<v.InferOutput<typeof inputItem>, { type: 'file_search_call' }>;
export type ApprovalItem = Extract<v.InferOutput<typeof inputItem>, { approval_request_id: string }>;
export type InputItem = v.InferOutput<typeof inputItem>;

export function isSearch(item: InputItem): item is SearchItem {
  return item.type === 'file_search_call';
}

/** The call of an MCP tool by the service, not the client. */
export function isServerCall(item: InputItem): item is ServerCallItem {
  return item.type === 'mcp_call';
}
