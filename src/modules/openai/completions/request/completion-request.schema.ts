import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { maxCharacters } from '../../../../common/validation/schemas/max-characters';
import { LONGEST_MODEL } from '../../input/item-text';
import { ignoredLabels } from '../../input/labels';
import { message } from './message.schema';
import { responseFormat, toolChoice, tools } from './tool.schema';

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
    "The agent's name or id; case does not count.",
    'General assistant',
  ),
  messages: described(
    v.pipe(v.array(message), v.minLength(1), v.maxLength(MOST_MESSAGES)),
    'The whole conversation. It has a message of `user` or `tool` behind the last one of `assistant`.',
  ),
  stream: described(v.nullish(v.boolean()), 'Whether the answer comes in chunks (server-sent events).', false),
  stream_options: described(
    v.nullish(v.object({ include_usage: v.nullish(v.boolean()) })),
    'With `include_usage`, a chunk with the usage comes before `[DONE]`.',
  ),
  temperature: described(v.nullish(between(0, 2)), "How freely the model chooses. The agent's own wins.", 0.7),
  top_p: described(v.nullish(between(0, 1)), "From how much probability the model chooses. The agent's own wins.", 0.9),
  max_completion_tokens: described(v.nullish(whole(1)), 'Most tokens of the answer, or fewer, as the agent says.', 500),
  max_tokens: described(v.nullish(whole(1)), 'Older name of `max_completion_tokens`. The smaller one counts.', 500),
  stop: described(
    v.nullish(v.union([stopText, v.pipe(v.array(stopText), v.maxLength(MOST_STOPS))])),
    "Texts that end the answer. The agent's own win.",
  ),
  seed: described(v.nullish(whole(Number.MIN_SAFE_INTEGER)), 'For answers that repeat, where the model can.', 7),
  presence_penalty: described(v.nullish(between(-2, 2)), "Against words that were used. The agent's own wins.", 0),
  frequency_penalty: described(v.nullish(between(-2, 2)), "Against words used often. The agent's own wins.", 0),
  reasoning_effort: described(
    v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
    "How long the model thinks. The agent's own wins.",
    'low',
  ),
  verbosity: described(v.nullish(v.picklist(['low', 'medium', 'high'])), 'How much it says.', 'low'),
  tools: described(v.nullish(tools), 'Functions that the model may ask to have called. The caller calls them.'),
  tool_choice: described(v.nullish(toolChoice), 'Whether the model may, must or must not call functions, or which.'),
  parallel_tool_calls: described(v.nullish(v.boolean()), 'Whether it may call several at once.', true),
  response_format: described(v.nullish(responseFormat), 'The form of the answer: text, JSON, or JSON by a schema.'),
  ...ignoredLabels,
  n: described(v.nullish(whole(1, 128)), 'Only 1 is supported.', 1),
  logprobs: described(v.nullish(v.boolean()), 'Only false is supported.', false),
  top_logprobs: described(v.nullish(whole(0, 20)), 'Only 0 is supported.', 0),
  logit_bias: described(v.nullish(anyObject), 'Only empty is supported.'),
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
