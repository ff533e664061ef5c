import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { maxCharacters } from '../../../../common/validation/schemas/max-characters';
import { idText, itemText, LONGEST_MODEL } from '../../input/item-text';
import { labels } from '../../input/labels';
import { metadata } from '../../metadata-schema';
import { inputItem } from './input-item-schema';
import { responseChoice, responseTools, toolName } from './tool-schema';

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is longer than the function
const number = (least: number, most: number) => v.nullish(v.pipe(v.number(), v.minValue(least), v.maxValue(most)));

const count = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000_000)));

const shortText = (most: number): v.GenericSchema<string> => v.pipe(v.string(), maxCharacters(most));

const jsonObject = anyObject;

const format = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    name: toolName,
    description: v.nullish(itemText, null),
    schema: jsonObject,
    strict: v.nullish(v.boolean(), null),
  }),
]);

const input = v.union([itemText, v.pipe(v.array(inputItem), v.maxLength(2_000))]);

/** Entries of other types are ignored. */
const contextManagement = v.pipe(v.array(v.object({ type: shortText(64), compact_threshold: count })), v.maxLength(8));

const conversation = v.union([idText, v.object({ id: idText })]);

const include = v.pipe(v.array(shortText(256)), v.maxLength(64));

/** The body of `POST /responses`. Other parameters are ignored. */
export const responseRequest = v.object({
  model: described(
    v.nullish(shortText(LONGEST_MODEL)),
    'Name or id of an agent. If absent, the agent of the continued conversation answers.',
    'Planner',
  ),
  input: described(v.nullish(input), 'New input: a text of the user, or items.'),
  instructions: described(
    v.nullish(itemText, null),
    'Instructions for the model, after those of the agent.',
    'Be short.',
  ),
  previous_response_id: described(v.nullish(idText, null), 'Id of the response to continue.', 'resp_2'),
  conversation: described(v.nullish(conversation, null), 'Id of the conversation to continue.'),
  tools: described(
    v.nullish(responseTools, []),
    'Tools that the model may call and the client runs: functions, `custom` and `namespace`. `mcp` limits ' +
      'the tools of the agent. Other types are ignored.',
  ),
  tool_choice: described(v.nullish(responseChoice), 'Which tools the model may or must call.'),
  context_management: described(
    v.nullish(contextManagement),
    'With `compaction`, the conversation is summarized first if the prompt has `compact_threshold` tokens.',
  ),
  parallel_tool_calls: described(v.nullish(v.boolean()), 'Whether the model may call several functions at once.', true),
  max_tool_calls: described(count, 'Ignored; the limits of the agent apply.', 3),
  text: described(
    v.nullish(v.object({ format: v.nullish(format), verbosity: v.nullish(v.picklist(['low', 'medium', 'high'])) })),
    'Format of the text.',
  ),
  reasoning: described(
    v.nullish(
      v.object({
        effort: v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']), null),
        summary: v.nullish(v.picklist(['auto', 'concise', 'detailed']), null),
      }),
    ),
    'Reasoning settings of the model.',
  ),
  temperature: described(number(0, 2), 'Sampling temperature.', 0.7),
  top_p: described(number(0, 1), 'Nucleus sampling.', 0.9),
  presence_penalty: described(number(-2, 2), 'Penalty for tokens that already occur.', 0),
  frequency_penalty: described(number(-2, 2), 'Penalty for tokens that occur often.', 0),
  max_output_tokens: described(count, 'Maximum output tokens.', 800),
  top_logprobs: described(number(0, 20), 'Only 0 is allowed.', 0),
  include: described(
    v.nullish(include, []),
    '`file_search_call.results`: returns what searches found. Log probabilities are refused; other values are ignored.',
    [],
  ),
  metadata: v.nullish(metadata, {}),
  store: described(
    v.nullish(v.boolean(), true),
    'If false, nothing is stored and the response ends if the client disconnects.',
    true,
  ),
  background: described(v.nullish(v.boolean(), false), 'If true, the request returns immediately.', false),
  stream: described(v.nullish(v.boolean(), false), 'If true, the response is streamed as events.', true),
  truncation: described(
    v.nullish(v.picklist(['auto', 'disabled'])),
    '`auto`: removes the oldest messages of a long conversation. `disabled`: returns 400 instead.',
    'auto',
  ),
  service_tier: described(v.nullish(shortText(64)), 'Ignored.', 'auto'),
  prompt: described(v.nullish(v.unknown()), 'Not supported.'),
  ...labels,
});

export type ResponseRequest = v.InferOutput<typeof responseRequest>;

export type TextFormat = v.InferOutput<typeof format>;
