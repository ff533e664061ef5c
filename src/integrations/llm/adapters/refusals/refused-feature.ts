import type { ModelFeature } from '../../port/message-parts';
import type { ProviderAnswer } from './provider-answer';

/** How refusals name a feature. For malformed parts, a field may name it too. */
const WORDS: Record<ModelFeature, RegExp> = {
  tools: /\btools?\b|\btool[_ -]|\bfunction[_ ](?:call|declaration)|functions/i,
  images: /images?\b|image_url|vision|multi-?modal|modalit/i,
  files: /\bfiles?\b|document|\bpdfs?\b|file_data/i,
  response_format:
    /response[_ ]format|json[_ ](?:schema|object|mode)|structured output|output[_ ](?:config|format)|grammar/i,
};

/** Refusals of a part that do not say which one. */
const PART =
  /content(?: type)?\b.{0,40}(?:must be a string|invalid|unsupported|unknown)|(?:invalid|unsupported|unknown) (?:content|variant|type)|content\[\]\.type/i;

/** Lists of supported alternatives do not show what was refused. */
const ALTERNATIVES =
  /(?:supported|allowed|valid) (?:values|types) (?:are|is)\b.*|allowed values.*|, ?expected\b.*|must be one of.*| - hint:.*/gi;

/** If the status means a server fault or "not found", the message must name the refusal clearly. */
const CLEAR =
  /not (?:be )?support|unsupported|endpoints found that support|requires? --|missing data required|not enabled/i;

const STATUSES = [400, 415, 422];
const STATUSES_WITH_WORDS = [404, 500, 501];

/**
 * The feature of a request that a response refuses; null if it refuses something else. Invalid features, such as an
 * unreadable image, count as refusals too, because the caller can change them.
 *
 * @param needed the features of the request; a feature that was not sent cannot be refused
 */
export function refusedFeature(answer: ProviderAnswer, needed: readonly ModelFeature[]): ModelFeature | null {
  const sentence = answer.sentence.replace(ALTERNATIVES, '');
  const isClear = STATUSES_WITH_WORDS.includes(answer.status) && CLEAR.test(sentence);
  if (!STATUSES.includes(answer.status) && !isClear) {
    return null;
  }
  const named = needed.find((feature) => answer.parameters.some((parameter) => WORDS[feature].test(parameter)));
  const described = needed.find((feature) => WORDS[feature].test(sentence));
  const part = PART.test(sentence) ? needed.find((feature) => feature === 'images' || feature === 'files') : undefined;
  return named ?? described ?? part ?? null;
}
