import * as v from 'valibot';
import { itemText } from '../../input/item-text';
import { assistantContent, instructionContent, userContent } from './content-schema';

const callId = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

/** A message may come without `type`. */
const message = { type: v.optional(v.literal('message')) };

/** An input item. Unknown members are ignored: items come back as they were sent, with their ids and states. */
export const inputItem = v.variant('type', [
  v.variant('role', [
    v.object({ ...message, role: v.literal('user'), content: userContent }),
    v.object({ ...message, role: v.literal('assistant'), content: assistantContent }),
    v.object({ ...message, role: v.picklist(['system', 'developer']), content: instructionContent }),
  ]),
  v.object({
    type: v.literal('function_call'),
    call_id: callId,
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
    arguments: itemText,
  }),
  v.object({ type: v.literal('function_call_output'), call_id: callId, output: userContent }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.nullish(v.literal('item_reference')), id: v.pipe(v.string(), v.maxLength(256)) }),
]);

export type InputItem = v.InferOutput<typeof inputItem>;
