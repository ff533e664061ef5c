import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { maxCharacters } from '../../../../common/validation/schemas/max-characters';
import { LONGEST_MODEL } from '../../input/item-text';
import { ignoredLabels } from '../../input/labels';
import { message } from './message.schema';
import { completionChoice, completionTools, responseFormat } from './tool.schema';

/** The maximum number of messages in a request. */
const MOST_MESSAGES = 2_000;
const MOST_STOPS = 4;
const LONGEST_STOP = 256;

const between = (least: number, most: number): v.GenericSchema<number> =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most));

const whole = (least: number, most = Number.MAX_SAFE_INTEGER): v.GenericSchema<number> =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const stopText = v.pipe(v.string(), v.minLength(1), maxCharacters(LONGEST_STOP));

/** The body of POST /chat/completions. Other parameters are ignored. */
export const completionRequest = v.object({
  model: described(
    v.pipe(v.string(), v.minLength(1), maxCharacters(LONGEST_MODEL)),
    'Name or id of the agent, not case-sensitive.',
    'General assistant',
  ),
  messages: described(
    v.pipe(v.array(message), v.minLength(1), v.maxLength(MOST_MESSAGES)),
    'The whole conversation. A `user` or `tool` message must follow the last `assistant` message.',
  ),
  stream: described(v.nullish(v.boolean()), 'Whether to stream the completion as server-sent events.', false),
  stream_options: described(
    v.nullish(v.object({ include_usage: v.nullish(v.boolean()) })),
    'With `include_usage`, a chunk with the usage is sent before `[DONE]`.',
  ),
  temperature: described(
    v.nullish(between(0, 2)),
    'Sampling temperature. The setting of the agent takes precedence.',
    0.7,
  ),
  top_p: described(v.nullish(between(0, 1)), 'Nucleus sampling. The setting of the agent takes precedence.', 0.9),
  max_completion_tokens: described(
    v.nullish(whole(1)),
    'Maximum output tokens. The limit of the agent applies if it is lower.',
    500,
  ),
  max_tokens: described(v.nullish(whole(1)), 'Older name of `max_completion_tokens`. The smaller value applies.', 500),
  stop: described(
    v.nullish(v.union([stopText, v.pipe(v.array(stopText), v.maxLength(MOST_STOPS))])),
    'Texts that end the output. Those of the agent take precedence.',
  ),
  seed: described(
    v.nullish(whole(Number.MIN_SAFE_INTEGER)),
    'Seed for repeatable output, if the model supports it.',
    7,
  ),
  presence_penalty: described(
    v.nullish(between(-2, 2)),
    'Penalty for tokens that already occur. The setting of the agent takes precedence.',
    0,
  ),
  frequency_penalty: described(
    v.nullish(between(-2, 2)),
    'Penalty for tokens that occur often. The setting of the agent takes precedence.',
    0,
  ),
  reasoning_effort: described(
    v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
    'Reasoning effort. The setting of the agent takes precedence.',
    'low',
  ),
  verbosity: described(v.nullish(v.picklist(['low', 'medium', 'high'])), 'Length of the output.', 'low'),
  tools: described(v.nullish(completionTools), 'Functions that the model may call. The client runs them.'),
  tool_choice: described(
    v.nullish(completionChoice),
    'Whether the model may, must or must not call functions, or which function.',
  ),
  parallel_tool_calls: described(v.nullish(v.boolean()), 'Whether the model may call several functions at once.', true),
  response_format: described(v.nullish(responseFormat), 'Output format: text, JSON, or JSON that follows a schema.'),
  ...ignoredLabels,
  n: described(v.nullish(whole(1, 128)), 'Only 1 is supported.', 1),
  logprobs: described(v.nullish(v.boolean()), 'Only false is supported.', false),
  top_logprobs: described(v.nullish(whole(0, 20)), 'Only 0 is supported.', 0),
  logit_bias: described(v.nullish(anyObject), 'Only an empty object is supported.'),
  modalities: described(
    v.nullish(v.pipe(v.array(v.picklist(['text', 'audio'])), v.maxLength(8))),
    'Only `text` is supported.',
  ),
  audio: described(v.nullish(v.unknown()), 'Not supported.'),
  web_search_options: described(v.nullish(v.unknown()), 'Not supported.'),
  functions: described(v.nullish(v.unknown()), 'Not supported: use `tools`.'),
  function_call: described(v.nullish(v.unknown()), 'Not supported: use `tool_choice`.'),
});

export type CompletionRequestBody = v.InferOutput<typeof completionRequest>;
