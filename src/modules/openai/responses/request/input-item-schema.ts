import * as v from 'valibot';
import { itemText } from '../../input/item-text';
import { assistantContent, instructionContent, resultContent, userContent } from './content-schema';

/** What stands in input that is no message. Others are of other versions, and are skipped. */
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
];

const callId = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

/** A message may come without `type`. */
const message = { type: v.optional(v.literal('message')) };

const called = {
  call_id: callId,
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  namespace: v.nullish(v.pipe(v.string(), v.maxLength(256))),
};

/** Whether a message of the assistant is a comment or the answer. Models are not told. */
const phase = v.nullish(v.pipe(v.string(), v.maxLength(64)));

/** An input item. Unknown members are ignored: items come back as they were sent, with their ids and states. */
export const inputItem = v.variant('type', [
  v.variant('role', [
    v.object({ ...message, role: v.literal('user'), content: userContent }),
    v.object({ ...message, role: v.literal('assistant'), content: assistantContent, phase }),
    v.object({ ...message, role: v.picklist(['system', 'developer']), content: instructionContent }),
  ]),
  v.object({ ...called, type: v.literal('function_call'), arguments: itemText }),
  v.object({ ...called, type: v.literal('custom_tool_call'), input: itemText }),
  v.object({
    type: v.picklist(['function_call_output', 'custom_tool_call_output']),
    call_id: callId,
    output: resultContent,
  }),
  v.object({ type: v.literal('compaction'), encrypted_content: itemText }),
  v.object({ type: v.literal('compaction_trigger') }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.nullish(v.literal('item_reference')), id: v.pipe(v.string(), v.maxLength(256)) }),
  v.object({ type: v.pipe(v.string(), v.notValues(KNOWN_TYPES)) }),
]);

export type InputItem = v.InferOutput<typeof inputItem>;
