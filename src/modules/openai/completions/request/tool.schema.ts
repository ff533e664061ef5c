import * as v from 'valibot';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { itemText } from '../../input/item-text';
import { functionName } from './message.schema';

/** Most functions of a request. */
const MOST_TOOLS = 128;

const jsonSchema = anyObject;

const named = v.object({ name: functionName });

/** A function that the model may ask to have called. Of tools of other types only the type is read, to refuse it. */
export const tool = v.variant('type', [
  v.object({
    type: v.literal('function'),
    function: v.object({
      name: functionName,
      description: v.nullish(itemText),
      parameters: v.nullish(jsonSchema),
      strict: v.nullish(v.boolean()),
    }),
  }),
  v.object({ type: v.literal('custom') }),
]);

export const tools = v.pipe(v.array(tool), v.maxLength(MOST_TOOLS));

export const toolChoice = v.union([
  v.picklist(['none', 'auto', 'required']),
  v.variant('type', [
    v.object({ type: v.literal('function'), function: named }),
    v.object({
      type: v.literal('allowed_tools'),
      allowed_tools: v.object({
        mode: v.picklist(['auto', 'required']),
        tools: v.pipe(v.array(v.object({ type: v.literal('function'), function: named })), v.minLength(1)),
      }),
    }),
    v.object({ type: v.literal('custom') }),
  ]),
]);

export const responseFormat = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    json_schema: v.object({
      name: functionName,
      description: v.nullish(itemText),
      schema: v.nullish(jsonSchema),
      strict: v.nullish(v.boolean()),
    }),
  }),
]);

export type Tools = v.InferOutput<typeof tools>;
export type ToolChoiceInput = v.InferOutput<typeof toolChoice>;
export type ResponseFormatInput = v.InferOutput<typeof responseFormat>;
