import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { itemText } from '../../input/item-text';
import { MOST_FUNCTIONS } from '../../tools/offered-tools';
import { otherChoice, otherTool } from '../../tools/other-tool';
import { functionName } from './message.schema';

/** The maximum number of tools in a request, and in a namespace. */
const MOST_TOOLS = 128;

const LONGEST_TYPE = 64;

const jsonSchema = anyObject;

const shortText = v.pipe(v.string(), v.maxLength(LONGEST_TYPE));

/** The chosen function or tool. */
export const chosenTool = v.object({ name: functionName, namespace: v.nullish(functionName) });

const aFunction = v.object({
  name: functionName,
  description: v.nullish(itemText),
  parameters: v.nullish(jsonSchema),
  strict: v.nullish(v.boolean()),
});

const grammar = v.object({ syntax: v.optional(shortText), definition: v.optional(itemText) });

const customFormat = v.object({ type: shortText, grammar: v.optional(grammar) });

const aCustomTool = v.object({
  name: functionName,
  description: v.nullish(itemText),
  format: v.nullish(customFormat),
});

export const functionTool = v.object({
  type: described(v.literal('function'), 'Always `function`.'),
  function: described(aFunction, 'Definition of the function.'),
});

export const customTool = v.object({
  type: described(v.literal('custom'), 'Always `custom`.'),
  custom: described(aCustomTool, 'A tool with plain-text input.'),
});

/** Clients that also use `/responses` send the tools of a namespace in its format. */
const flatFunction = v.pipe(
  v.object({ type: v.literal('function'), ...aFunction.entries }),
  v.transform(({ type, ...called }) => ({ type, function: called })),
);

const flatCustomTool = v.pipe(
  v.object({ type: v.literal('custom'), ...aCustomTool.entries }),
  v.transform(({ type, ...called }) => ({ type, custom: called })),
);

const anyTool = v.union([functionTool, customTool, flatFunction, flatCustomTool, otherTool]);

const namespace = v.object({
  type: v.literal('namespace'),
  name: functionName,
  description: v.nullish(itemText),
  tools: v.pipe(v.array(anyTool), v.maxLength(MOST_TOOLS)),
});

/** A tool that the model may call. */
export const tool = v.variant('type', [functionTool, customTool, namespace, otherTool]);

export const completionTools = v.pipe(v.array(tool), v.maxLength(MOST_TOOLS));

const chosenFunction = v.object({ type: v.literal('function'), function: chosenTool });

const chosenCustom = v.object({ type: v.literal('custom'), custom: chosenTool });

const allowed = v.array(v.variant('type', [chosenFunction, chosenCustom, otherChoice]));

export const completionChoice = v.union([
  v.picklist(['none', 'auto', 'required']),
  v.variant('type', [
    chosenFunction,
    chosenCustom,
    v.object({
      type: v.literal('allowed_tools'),
      allowed_tools: v.object({
        mode: v.picklist(['auto', 'required']),
        tools: v.pipe(allowed, v.minLength(1), v.maxLength(MOST_FUNCTIONS)),
      }),
    }),
    otherChoice,
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

export type Tools = v.InferOutput<typeof completionTools>;
export type ToolChoiceInput = v.InferOutput<typeof completionChoice>;
export type ResponseFormatInput = v.InferOutput<typeof responseFormat>;
