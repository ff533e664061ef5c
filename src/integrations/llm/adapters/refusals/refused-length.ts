import { type ProviderAnswer } from './provider-answer';

export interface RefusedLength {
  /** Tokens of the prompt as the provider counted them; null if unknown. */
  tokens: number | null;
  /** The model's limit of tokens; null if unknown. */
  limit: number | null;
}

const CODES = [
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
  'request_too_large',
  'string_above_max_length',
  'tokens_limit_reached',
];

const SENTENCE = new RegExp(
  [
    'context (length|size|window|limit)',
    'maximum prompt length',
    '(prompt|input|request|conversation) (is |was )?too (long|large)',
    'too large for model',
    'range of input length',
    'reduce the length of the (messages|prompt|input)',
    'too many (input |prompt )?tokens',
    'exceeds? .{0,40}(maximum|max) .{0,20}(input|prompt) tokens',
    'request body too large for .* model',
  ].join('|'),
  'i',
);

/** Limits as the messages name them: the window first if a message has both. */
const LIMITS = [
  /maximum (?:context|prompt) length (?:is|of) (?:only )?(\d+)/i,
  /with (\d+) maximum context length/i,
  /available context size \((\d+)/i,
  /> (\d+) maximum/i,
  /range of input length should be \[\d+, ?(\d+)\]/i,
  /exceed context limit: \d+ \+ \d+ > (\d+)/i,
  /limit(?: is|:)? (\d+)/i,
  /max(?:imum)? size: (\d+) tokens/i,
  /context (?:length|size|window|limit)(?: is| of|:)? \(?(\d+)/i,
];

const COUNTS = [
  /\((\d+) (?:in the messages|of text input)/i,
  /resulted in (\d+) tokens/i,
  /prompt contains (\d+) tokens/i,
  /request contains (\d+) tokens/i,
  /request \((\d+) tokens\)/i,
  /too long: (\d+) tokens/i,
  /exceed context limit: (\d+) \+/i,
  /(?:has|contains at least) (\d+) input tokens/i,
  /current length is (\d+)/i,
  /requested (?:about )?(\d+)/i,
];

/** The lengths in a response that refuses a prompt as too long; null for any other response. */
export function refusedLength(answer: ProviderAnswer): RefusedLength | null {
  const { status, codes, sentence, promptTokens, windowTokens } = answer;
  // A single request above the budget per minute can never succeed.
  const isTooLargeForMinute = [413, 429].includes(status) && /request too large/i.test(sentence);
  const mayRefuse = [400, 413, 422, 500].includes(status) || isTooLargeForMinute;
  const speaksOfLength = codes.some((code) => CODES.includes(code)) || SENTENCE.test(sentence);
  if (!mayRefuse || !speaksOfLength || isRefusedReplyLimit(answer)) {
    return null;
  }
  return {
    tokens: promptTokens ?? firstNumber(COUNTS, sentence),
    limit: windowTokens ?? firstNumber(LIMITS, sentence),
  };
}

function firstNumber(patterns: readonly RegExp[], sentence: string): number | null {
  for (const pattern of patterns) {
    const number = Number(pattern.exec(sentence)?.[1] ?? 0);
    if (number > 0) {
      return number;
    }
  }
  return null;
}

/** If less room than this is left for the reply, the prompt is too long. */
const LEAST_REPLY = 256;

/** Messages that prompt and reply together exceed the window. */
const TOGETHER = [
  /exceed context limit: (?<prompt>\d+) \+ \d+ > (?<window>\d+)/i,
  /context length is (?<window>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  /context length is (?<window>\d+) tokens\. .*requested \d+ output tokens .*contains at least (?<prompt>\d+) input tokens/i,
  /context length is (?<window>\d+) tokens\. .*\((?<prompt>\d+) (?:in the messages|of text input), \d+ in the/i,
];

/** Messages with the longest reply of a model. */
const MODEL_LIMITS = [
  /\d+ > \d+, which is the maximum allowed number of output tokens/i,
  /supports at most \d+ (?:completion|output) tokens/i,
  /range of max_(?:completion_)?tokens/i,
  /max_(?:completion_|output_)?tokens\W+(?:must be|should be|value)/i,
];

/** Whether the provider refuses the length of the reply, and not that of the prompt. */
export function isRefusedReplyLimit(answer: ProviderAnswer): boolean {
  return roomForReply(answer) !== null || MODEL_LIMITS.some((pattern) => pattern.test(answer.sentence));
}

/** Tokens that the prompt leaves for the reply; null if the response is about something else, or too few are left. */
export function roomForReply({ sentence }: ProviderAnswer): number | null {
  for (const pattern of TOGETHER) {
    const { prompt, window } = pattern.exec(sentence)?.groups ?? {};
    const room = Number(window) - Number(prompt);
    if (room >= Math.max(LEAST_REPLY, Number(window) / 4)) {
      return room;
    }
  }
  return null;
}
