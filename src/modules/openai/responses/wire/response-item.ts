import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';

/** Items of Open Responses 2026-04-24 as this service writes them. */

const itemStatus = described(
  v.picklist(['in_progress', 'completed', 'incomplete']),
  '`incomplete`: the response ended before it.',
);

const always = described(v.pipe(v.array(v.unknown()), v.maxLength(0)), 'Always empty.', []);

const callId = described(v.string(), 'The id that the model gave the call; its result names it.', 'call_1');

/** A text part of an assistant message. */
export const outputTextPart = v.object({
  type: described(v.literal('output_text'), 'What the model said.'),
  text: described(v.string(), 'The text.', 'The old town.'),
  annotations: always,
  logprobs: always,
});

/** A text part of a reasoning item. */
export const reasoningTextPart = v.object({
  type: described(v.literal('reasoning_text'), 'What the model thought.'),
  text: described(v.string(), 'The text.', 'A first visit.'),
});

/** The reasoning text for clients that show only summaries. */
export const summaryTextPart = v.object({
  type: described(v.literal('summary_text'), 'What the model thought.'),
  text: described(v.string(), 'The text.', 'A first visit.'),
});

/** A part of a user or system message. */
export const inputPart = v.variant('type', [
  v.object({ type: v.literal('input_text'), text: described(v.string(), 'The text.') }),
  v.object({
    type: v.literal('input_image'),
    image_url: described(v.nullable(v.string()), 'A data URL; null unless it was asked for with `include`.'),
    detail: described(v.picklist(['auto', 'low', 'high']), 'How closely the model looks at it.'),
  }),
  v.object({ type: v.literal('input_file'), filename: described(v.optional(v.string()), 'Absent: none.') }),
]);

export const messageItem = v.object({
  type: described(v.literal('message'), 'What somebody said.'),
  id: described(v.string(), 'Names the item.', 'msg_2'),
  status: itemStatus,
  role: described(v.picklist(['user', 'assistant', 'system']), 'Who said it; `assistant` in outputs.'),
  content: described(v.array(v.union([outputTextPart, inputPart])), '`output_text` of an assistant, or inputs.'),
  phase: described(v.optional(v.string()), 'Of an assistant, as the client sent it.', 'commentary'),
});

const namespace = described(v.optional(v.string()), 'The namespace of the tool; absent: none.', 'files');

export const functionCallItem = v.object({
  type: described(v.literal('function_call'), 'A function that the model wants to have called.'),
  id: described(v.string(), 'Names the item.', 'fc_2_0'),
  status: itemStatus,
  call_id: callId,
  name: described(v.string(), 'The function.', 'get_weather'),
  namespace,
  arguments: described(v.string(), 'JSON, as the model wrote it: it may be malformed.', '{"city":"Lisbon"}'),
});

export const customCallItem = v.object({
  type: described(v.literal('custom_tool_call'), 'A custom tool that the model wants to have called.'),
  id: described(v.string(), 'Names the item.', 'ctc_2_0'),
  status: itemStatus,
  call_id: callId,
  name: described(v.string(), 'The tool.', 'apply_patch'),
  namespace,
  input: described(v.string(), 'Plain text.', '*** Begin Patch'),
});

const output = described(
  v.union([v.string(), v.array(inputPart)]),
  'Text, mostly JSON; parts where the call returned images or files too.',
  '{"celsius":21}',
);

export const functionCallOutputItem = v.object({
  type: described(v.literal('function_call_output'), 'What a function returned.'),
  id: described(v.string(), 'Names the item.', 'fco_3_0'),
  status: itemStatus,
  call_id: callId,
  output,
});

export const customCallOutputItem = v.object({
  type: described(v.literal('custom_tool_call_output'), 'What a custom tool returned.'),
  id: described(v.string(), 'Names the item.', 'ctco_3_0'),
  status: itemStatus,
  call_id: callId,
  output,
});

export const compactionItem = v.object({
  type: described(v.literal('compaction'), 'What was said before, in short. Send it in the place of that.'),
  id: described(v.string(), 'Names the item.', 'cmp_2_0'),
  encrypted_content: described(v.string(), 'Only this service can read it, and only for this user.', 'v1.c2VhbGVk'),
});

/**
 * The full reasoning of the model. OpenAI's clients show only the summary, so it repeats the text if the request asks
 * for a summary.
 */
export const reasoningItem = v.object({
  type: described(v.literal('reasoning'), 'What the model thought.'),
  id: described(v.string(), 'Names the item.', 'rs_2_0'),
  status: itemStatus,
  summary: described(v.array(summaryTextPart), 'Like `content`, or nothing.'),
  content: described(v.array(reasoningTextPart), 'The thoughts.'),
});

const serverLabel = described(v.string(), 'The module that the tool comes from.', 'orders');

const madeArguments = described(
  v.string(),
  'JSON, as the tool gets it; signs that nobody sees are escaped.',
  '{"order":7}',
);

export const approvalRequestItem = v.object({
  type: described(v.literal('mcp_approval_request'), 'The call of a tool of the agent that somebody has to allow.'),
  id: described(v.string(), 'Names the item; `mcp_approval_response` names it.', 'mcpr_2_0'),
  server_label: serverLabel,
  name: described(v.string(), 'The tool.', 'cancel_order'),
  arguments: madeArguments,
});

export const approvalResponseItem = v.object({
  type: described(v.literal('mcp_approval_response'), 'What was decided about it.'),
  id: described(v.string(), 'Names the item.', 'mcpa_2_0'),
  approval_request_id: described(v.string(), 'What was asked.', 'mcpr_2_0'),
  approve: described(v.boolean(), 'Whether it was allowed.', true),
  reason: described(v.nullable(v.string()), 'Why; null: nobody said.', null),
});

export const mcpCallItem = v.object({
  type: described(v.literal('mcp_call'), 'The call of a tool of the agent, which the service makes itself.'),
  id: described(v.string(), 'Names the item.', 'mcp_2_0'),
  status: described(
    v.picklist(['in_progress', 'completed', 'incomplete', 'failed']),
    '`failed`: the tool says so, or it was not called; `incomplete`: nobody knows what became of it.',
  ),
  server_label: serverLabel,
  name: described(v.string(), 'The tool.', 'cancel_order'),
  arguments: madeArguments,
  approval_request_id: described(v.nullable(v.string()), 'Who was asked before; null: nobody.', 'mcpr_2_0'),
  output: described(v.nullable(v.string()), 'What it returned; null: nothing.', 'The order 7 is cancelled.'),
  error: described(v.nullable(v.string()), 'Why it failed; null: it did not.', null),
});

export const listedToolsItem = v.object({
  type: described(
    v.literal('mcp_list_tools'),
    'The tools of the agent that the model is offered, where they were asked for.',
  ),
  id: described(v.string(), 'Names the item.', 'mcpl_2_0'),
  server_label: serverLabel,
  tools: described(
    v.array(
      v.object({
        name: described(v.string(), 'As its server calls it.', 'cancel_order'),
        description: described(v.nullable(v.string()), 'What the model reads of it.', 'Cancels an order.'),
        input_schema: described(v.record(v.string(), v.unknown()), 'JSON Schema of its arguments.', { type: 'object' }),
        annotations: described(
          v.object({ read_only: v.boolean() }),
          'Whether it changes nothing, as far as the service knows.',
          { read_only: false },
        ),
      }),
    ),
    'Those that the request and the agent leave.',
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
  listedToolsItem,
]);

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
