import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';

/** Items of Open Responses 2026-04-24 as this service writes them. */

const itemStatus = described(
  v.picklist(['in_progress', 'completed', 'incomplete']),
  '`incomplete`: the response ended before the item did.',
);

const always = described(v.pipe(v.array(v.unknown()), v.maxLength(0)), 'Always empty.', []);

const callId = described(v.string(), 'Id of the call from the model. The result refers to it.', 'call_1');

/** A place in the text that uses a passage of a document. */
export const fileCitation = v.object({
  type: described(v.literal('file_citation'), 'A passage of a file that the text before it uses.'),
  file_id: described(v.string(), 'The file.', 'file-7'),
  filename: described(v.string(), 'Name of the file.', 'handbook.pdf'),
  index: described(v.pipe(v.number(), v.integer()), 'Offset in the text, in UTF-16 code units.', 42),
});

/** A text part of an assistant message. */
export const outputTextPart = v.object({
  type: described(v.literal('output_text'), 'A text of the model.'),
  text: described(v.string(), 'The text.', 'The old town.'),
  annotations: described(v.array(fileCitation), 'The passages of documents that the text uses.', []),
  logprobs: always,
});

/** A text part of a reasoning item. */
export const reasoningTextPart = v.object({
  type: described(v.literal('reasoning_text'), 'Reasoning of the model.'),
  text: described(v.string(), 'The text.', 'A first visit.'),
});

/** The reasoning text for clients that show only summaries. */
export const summaryTextPart = v.object({
  type: described(v.literal('summary_text'), 'Reasoning of the model.'),
  text: described(v.string(), 'The text.', 'A first visit.'),
});

/** A part of a user or system message. */
export const inputPart = v.variant('type', [
  v.object({ type: v.literal('input_text'), text: described(v.string(), 'The text.') }),
  v.object({
    type: v.literal('input_image'),
    image_url: described(v.nullable(v.string()), 'A data URL; null unless requested with `include`.'),
    detail: described(v.picklist(['auto', 'low', 'high']), 'Level of detail for the model.'),
  }),
  v.object({ type: v.literal('input_file'), filename: described(v.optional(v.string()), 'Absent if there is none.') }),
]);

export const messageItem = v.object({
  type: described(v.literal('message'), 'A message.'),
  id: described(v.string(), 'Identifies the item.', 'msg_2'),
  status: itemStatus,
  role: described(v.picklist(['user', 'assistant', 'system']), 'Role of the author; `assistant` in outputs.'),
  content: described(
    v.array(v.union([outputTextPart, inputPart])),
    '`output_text` parts for an assistant, otherwise input parts.',
  ),
  phase: described(v.optional(v.string()), 'Phase of an assistant message, as sent by the client.', 'commentary'),
});

const namespace = described(v.optional(v.string()), 'Namespace of the tool. Absent if there is none.', 'files');

export const functionCallItem = v.object({
  type: described(v.literal('function_call'), 'A function call of the model.'),
  id: described(v.string(), 'Identifies the item.', 'fc_2_0'),
  status: itemStatus,
  call_id: callId,
  name: described(v.string(), 'Name of the function.', 'get_weather'),
  namespace,
  arguments: described(
    v.string(),
    'Arguments as JSON, as written by the model. It may be malformed.',
    '{"city":"Lisbon"}',
  ),
});

export const customCallItem = v.object({
  type: described(v.literal('custom_tool_call'), 'A custom tool call of the model.'),
  id: described(v.string(), 'Identifies the item.', 'ctc_2_0'),
  status: itemStatus,
  call_id: callId,
  name: described(v.string(), 'Name of the tool.', 'apply_patch'),
  namespace,
  input: described(v.string(), 'Plain text.', '*** Begin Patch'),
});

const output = described(
  v.union([v.string(), v.array(inputPart)]),
  'Text, usually JSON; parts if the call also returned images or files.',
  '{"celsius":21}',
);

export const functionCallOutputItem = v.object({
  type: described(v.literal('function_call_output'), 'Result of a function.'),
  id: described(v.string(), 'Identifies the item.', 'fco_3_0'),
  status: itemStatus,
  call_id: callId,
  output,
});

export const customCallOutputItem = v.object({
  type: described(v.literal('custom_tool_call_output'), 'Result of a custom tool.'),
  id: described(v.string(), 'Identifies the item.', 'ctco_3_0'),
  status: itemStatus,
  call_id: callId,
  output,
});

export const compactionItem = v.object({
  type: described(
    v.literal('compaction'),
    'Summary of the earlier conversation. Send it instead of the earlier items.',
  ),
  id: described(v.string(), 'Identifies the item.', 'cmp_2_0'),
  encrypted_content: described(v.string(), 'Readable only by this service and for this user.', 'v1.c2VhbGVk'),
});

/**
 * The full reasoning of the model. OpenAI's clients show only the summary, so it repeats the text if the request asks
 * for a summary.
 */
export const reasoningItem = v.object({
  type: described(v.literal('reasoning'), 'Reasoning of the model.'),
  id: described(v.string(), 'Identifies the item.', 'rs_2_0'),
  status: itemStatus,
  summary: described(v.array(summaryTextPart), 'Same as `content`, or empty.'),
  content: described(v.array(reasoningTextPart), 'Reasoning texts.'),
});

const serverLabel = described(v.string(), 'Label of the module of the tool.', 'orders');

const madeArguments = described(
  v.string(),
  'Arguments as JSON, as sent to the tool. Invisible characters are escaped.',
  '{"order":7}',
);

export const approvalRequestItem = v.object({
  type: described(v.literal('mcp_approval_request'), 'A call of an agent tool that needs approval.'),
  id: described(v.string(), 'Identifies the item; `mcp_approval_response` refers to it.', 'mcpr_2_0'),
  server_label: serverLabel,
  name: described(v.string(), 'Name of the tool.', 'cancel_order'),
  arguments: madeArguments,
});

export const approvalResponseItem = v.object({
  type: described(v.literal('mcp_approval_response'), 'A decision on a tool call.'),
  id: described(v.string(), 'Identifies the item.', 'mcpa_2_0'),
  approval_request_id: described(v.string(), 'Id of the approval request.', 'mcpr_2_0'),
  approve: described(v.boolean(), 'Whether the call was approved.', true),
  reason: described(v.nullable(v.string()), 'Reason for the decision; null if none was given.', null),
});

export const mcpCallItem = v.object({
  type: described(v.literal('mcp_call'), 'A call of an agent tool that the service runs.'),
  id: described(v.string(), 'Identifies the item.', 'mcp_2_0'),
  status: described(
    v.picklist(['in_progress', 'completed', 'incomplete', 'failed']),
    '`failed`: the tool failed or was not called. `incomplete`: the outcome is unknown.',
  ),
  server_label: serverLabel,
  name: described(v.string(), 'Name of the tool.', 'cancel_order'),
  arguments: madeArguments,
  approval_request_id: described(
    v.nullable(v.string()),
    'Id of the approval request; null if there was none.',
    'mcpr_2_0',
  ),
  output: described(v.nullable(v.string()), 'Result of the call; null if there is none.', 'The order 7 is cancelled.'),
  error: described(v.nullable(v.string()), 'Reason of the failure; null if it did not fail.', null),
});

export const fileSearchItem = v.object({
  type: described(v.literal('file_search_call'), 'A search of documents that the service ran.'),
  id: described(v.string(), 'Identifies the item.', 'fs_2_0'),
  status: described(
    v.picklist(['in_progress', 'searching', 'completed', 'incomplete', 'failed']),
    '`failed`: the search failed or was not allowed.',
  ),
  queries: described(v.array(v.string()), 'What was searched for.', ['reset password']),
  results: described(
    v.nullable(
      v.array(
        v.object({
          file_id: described(v.string(), 'The file.', 'file-7'),
          filename: described(v.string(), 'Name of the file.', 'handbook.pdf'),
          score: described(v.number(), 'From 0 to 1.', 0.61),
          text: described(v.string(), 'The passage.', 'To reset your password, open the settings.'),
          attributes: described(v.nullable(v.record(v.string(), v.unknown())), 'Always null.', null),
        }),
      ),
    ),
    'The passages, with `include: ["file_search_call.results"]`; otherwise null.',
    null,
  ),
});

export const listedToolsItem = v.object({
  type: described(v.literal('mcp_list_tools'), 'The tools of the agent that are offered to the model, if requested.'),
  id: described(v.string(), 'Identifies the item.', 'mcpl_2_0'),
  server_label: serverLabel,
  tools: described(
    v.array(
      v.object({
        name: described(v.string(), 'Name on its server.', 'cancel_order'),
        description: described(v.nullable(v.string()), 'Description for the model.', 'Cancels an order.'),
        input_schema: described(v.record(v.string(), v.unknown()), 'JSON Schema of its arguments.', { type: 'object' }),
        annotations: described(
          v.object({ read_only: v.boolean() }),
          'Whether the tool is read-only, as far as the service knows.',
          { read_only: false },
        ),
      }),
    ),
    'The tools allowed by both the request and the agent.',
  ),
  error: described(v.nullable(v.string()), 'Always null.', null),
});

/** An item in the output of a model. */
export const outputItem = v.variant('type', [
  messageItem,
  functionCallItem,
  customCallItem,
  reasoningItem,
  compactionItem,
  approvalRequestItem,
  mcpCallItem,
  fileSearchItem,
  listedToolsItem,
]);

/** An item in a conversation. */
export const responseItem = v.variant('type', [
  messageItem,
  functionCallItem,
  functionCallOutputItem,
  customCallItem,
  customCallOutputItem,
  reasoningItem,
  compactionItem,
  approvalRequestItem,
  approvalResponseItem,
  mcpCallItem,
  fileSearchItem,
  listedToolsItem,
]);

export type FileCitation = v.InferOutput<typeof fileCitation>;
export type FileSearchItem = v.InferOutput<typeof fileSearchItem>;
export type OutputText = v.InferOutput<typeof outputTextPart>;
export type SummaryText = v.InferOutput<typeof summaryTextPart>;
export type InputContent = v.InferOutput<typeof inputPart>;
export type MessageItem = v.InferOutput<typeof messageItem>;
export type FunctionCallItem = v.InferOutput<typeof functionCallItem>;
export type FunctionCallOutputItem = v.InferOutput<typeof functionCallOutputItem>;
export type CustomCallItem = v.InferOutput<typeof customCallItem>;
export type CustomCallOutputItem = v.InferOutput<typeof customCallOutputItem>;
export type CompactionItem = v.InferOutput<typeof compactionItem>;
export type ApprovalRequestItem = v.InferOutput<typeof approvalRequestItem>;
export type ApprovalResponseItem = v.InferOutput<typeof approvalResponseItem>;
export type McpCallItem = v.InferOutput<typeof mcpCallItem>;
export type ListedToolsItem = v.InferOutput<typeof listedToolsItem>;
export type ReasoningItem = v.InferOutput<typeof reasoningItem>;
export type OutputItem = v.InferOutput<typeof outputItem>;
export type ResponseItem = v.InferOutput<typeof responseItem>;
export type ItemStatus = v.InferOutput<typeof itemStatus>;

export function outputText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function summaryText(text: string): SummaryText {
  return { type: 'summary_text', text };
}
