import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { idText, itemText, typeText } from '../../input/item-text';
import { assistantContent, instructionContent, resultContent, userContent } from './content-schema';

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
];

const callId = described(
  v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  'Names the call; its result has the same.',
);

/** In characters. */
const LONGEST_REASON = 1_000;

/** A message may omit `type`. */
const message = { type: v.optional(v.literal('message')) };

const called = {
  call_id: callId,
  name: described(v.pipe(v.string(), v.minLength(1), v.maxLength(256)), 'The function or tool.'),
  namespace: described(v.nullish(v.pipe(v.string(), v.maxLength(256))), 'Its group.'),
};

/** The phase of an assistant message, such as a comment or the final answer. It is not part of the prompt. */
const phase = described(v.nullish(v.pipe(v.string(), v.maxLength(64))), 'Models are not told.');

const serverLabel = described(v.pipe(v.string(), v.maxLength(64)), 'The module or server.', 'orders');

const said = described(userContent, 'What the user says.');

/** An input item. Unknown members are ignored, because clients send items back with their IDs and states. */
export const inputItem = v.variant('type', [
  v.variant('role', [
    v.object({ ...message, role: v.literal('user'), content: said }),
    v.object({
      ...message,
      role: v.literal('assistant'),
      content: described(v.nullable(assistantContent), 'What the model said; null: nothing.'),
      phase,
    }),
    v.object({
      ...message,
      role: described(v.picklist(['system', 'developer']), 'Both say the same.'),
      content: described(instructionContent, 'What the model is told.'),
    }),
  ]),
  v.object({
    ...called,
    type: v.literal('function_call'),
    arguments: described(itemText, 'JSON, as the model wrote it.'),
  }),
  v.object({ ...called, type: v.literal('custom_tool_call'), input: described(itemText, 'Plain text.') }),
  v.object({
    type: described(v.picklist(['function_call_output', 'custom_tool_call_output']), 'As the call.'),
    call_id: callId,
    output: described(resultContent, 'What it returned.'),
  }),
  v.object({ type: v.literal('compaction'), encrypted_content: described(itemText, 'As it came.') }),
  v.object({ type: v.literal('compaction_trigger') }),
  v.object({
    type: v.literal('mcp_approval_response'),
    approval_request_id: described(idText, 'The `mcp_approval_request` that it decides.', 'mcpr_2_0'),
    approve: described(v.boolean(), 'Whether the tool may be called.', true),
    reason: described(
      v.nullish(v.pipe(v.string(), v.maxLength(LONGEST_REASON))),
      'Told to the model when it is denied.',
    ),
  }),
  v.object({
    type: described(v.literal('mcp_call'), 'Told to the model as a call of a tool, and what that returned.'),
    server_label: serverLabel,
    name: described(v.pipe(v.string(), v.minLength(1), v.maxLength(256)), 'The tool, as its server calls it.'),
    arguments: described(itemText, 'JSON, as the tool got it.'),
    output: described(v.nullish(itemText), 'What it returned.'),
    error: described(v.nullish(v.union([itemText, v.looseObject({})])), 'Why it failed.'),
  }),
  v.object({
    type: described(v.literal('mcp_list_tools'), 'The tools of this server are not listed again.'),
    server_label: serverLabel,
  }),
  v.object({ type: described(v.literal('mcp_approval_request'), 'It is left out: the call says what came of it.') }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.nullish(v.literal('item_reference')), id: described(idText, 'Of a stored item.') }),
  v.object({ type: described(v.pipe(typeText, v.notValues(KNOWN_TYPES)), 'It is left out.') }),
]);

export type ServerCallItem = Extract<v.InferOutput<typeof inputItem>, { type: 'mcp_call' }>;
export type ApprovalItem = Extract<v.InferOutput<typeof inputItem>, { approval_request_id: string }>;
export type InputItem = v.InferOutput<typeof inputItem>;

/** The call of an MCP tool by the service, not the client. */
export function isServerCall(item: InputItem): item is ServerCallItem {
  return item.type === 'mcp_call';
}
