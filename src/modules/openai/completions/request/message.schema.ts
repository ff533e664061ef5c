import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { imageDetail } from '../../input/image-detail';
import { fileName, fileText, idText, itemText, MOST_ITEM_PARTS, textOr } from '../../input/item-text';

/** The maximum length of a call ID, in characters. */
const LONGEST_ID = 256;

/** The function names that OpenAI's API allows. */
export const functionName = described(
  v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_.:-]{1,128}$/), v.maxLength(128)),
  'Name of a function, tool or namespace.',
  'get_weather',
);

export const detail = v.nullish(imageDetail);

const textPart = v.object({ type: v.literal('text'), text: itemText });

const imagePart = v.object({
  type: v.literal('image_url'),
  image_url: v.object({ url: v.pipe(fileText, v.minLength(1)), detail }),
});

const filePart = v.object({
  type: v.literal('file'),
  file: v.object({
    file_data: v.nullish(fileText),
    filename: v.nullish(fileName),
    file_id: described(v.nullish(idText), 'Id of an uploaded file that you may read, instead of its content.'),
  }),
});

const audioPart = v.object({ type: v.literal('input_audio') });

const refusalPart = v.object({ type: v.literal('refusal'), refusal: itemText });

const userPart = v.variant('type', [textPart, imagePart, filePart, audioPart]);

/** The content of a user message or of a tool result. */
export const completionUserContent = textOr(userPart);

const assistantPart = v.variant('type', [textPart, refusalPart]);

const words = textOr(textPart);

const callId = v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_ID));

const namespace = v.nullish(functionName);

const toolCall = v.variant('type', [
  v.object({
    id: callId,
    type: v.nullish(v.literal('function')),
    function: v.object({ name: functionName, namespace, arguments: itemText }),
  }),
  v.object({
    id: callId,
    type: v.literal('custom'),
    custom: v.object({ name: functionName, namespace, input: itemText }),
  }),
]);

/** A message, by role. Other members, such as `name` and `reasoning_content`, are ignored. */
export const message = v.variant('role', [
  v.object({ role: v.picklist(['system', 'developer']), content: words }),
  v.object({ role: v.literal('user'), content: completionUserContent }),
  v.object({
    role: v.literal('assistant'),
    content: v.nullish(textOr(assistantPart)),
    refusal: v.nullish(itemText),
    tool_calls: v.nullish(v.pipe(v.array(toolCall), v.maxLength(MOST_ITEM_PARTS))),
    function_call: v.nullish(v.unknown()),
  }),
  v.object({ role: v.literal('tool'), tool_call_id: callId, content: completionUserContent }),
]);

export type CompletionMessage = v.InferOutput<typeof message>;
export type AssistantMessage = Extract<CompletionMessage, { role: 'assistant' }>;
export type ToolMessage = Extract<CompletionMessage, { role: 'tool' }>;
export type ToolCallMessage = v.InferOutput<typeof toolCall>;
export type UserPart = v.InferOutput<typeof userPart>;
