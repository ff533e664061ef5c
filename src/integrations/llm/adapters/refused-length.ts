import type { ProviderAnswer } from './provider-answer';
import { isRefusedReplyLimit } from './reply-limit';

export interface RefusedLength {
  /** Tokens of the prompt as the provider counted them; null when it does not say. */
  tokens: number | null;
  /** Tokens that the model takes; null when the provider does not say. */
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

/** Numbers as the sentences put them: of the window first where a sentence has both. */
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

/** A prompt that is longer than what the model takes; null for any other answer. */
export function refusedLength(answer: ProviderAnswer): RefusedLength | null {
  const { status, codes, sentence, promptTokens, windowTokens } = answer;
  // A budget per minute that one request alone exceeds will never let it pass.
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
