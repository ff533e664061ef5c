import type { ProviderAnswer } from './provider-answer';

/** Less room than this for a reply is none: then it is the prompt that is too long. */
const LEAST_REPLY = 256;

/** Prompt and reply together exceed the window: the first number is the prompt, and the window is named. */
const TOGETHER = [
  /exceed context limit: (?<prompt>\d+) \+ \d+ > (?<window>\d+)/i,
  /context length is (?<window>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  /context length is (?<window>\d+) tokens\. .*requested \d+ output tokens .*contains at least (?<prompt>\d+) input tokens/i,
  /context length is (?<window>\d+) tokens\. .*\((?<prompt>\d+) (?:in the messages|of text input), \d+ in the/i,
];

/** The longest reply of a model, apart from any prompt. */
const MODEL_LIMITS = [
  /\d+ > \d+, which is the maximum allowed number of output tokens/i,
  /supports at most \d+ (?:completion|output) tokens/i,
  /range of max_(?:completion_)?tokens/i,
  /max_(?:completion_|output_)?tokens\W+(?:must be|should be|value)/i,
];

/** Whether it is the length of the reply that a provider refuses, and not the prompt's. */
export function isRefusedReplyLimit(answer: ProviderAnswer): boolean {
  return roomForReply(answer) !== null || MODEL_LIMITS.some((pattern) => pattern.test(answer.sentence));
}

/** Tokens that the prompt leaves for the reply; null where the answer speaks of something else, or leaves too few. */
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
