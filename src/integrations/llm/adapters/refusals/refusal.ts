import { FeatureNotSupportedError, ProviderError } from '../../port/llm.errors';
import type { ModelFeature } from '../../port/message-parts';
import type { ParameterAdjustment, RefusedParameter } from '../../port/parameter-adjustment';
import type { JsonObject } from '../json-object';
import type { ProviderAnswer } from './provider-answer';
import { isMishap, ProviderAnswerError } from './provider-failure';
import { roomForReply } from './refused-length';

/**
 * The failure with the cause of the refusal: `refusedParameter`, without which the request can be sent again, or
 * FeatureNotSupportedError. A named parameter comes first, because the feature may work without it.
 *
 * @param parameters the sent parameters, without messages and model
 * @param features the features of the request other than text
 */
export function withRefusal(error: unknown, parameters: JsonObject, features: readonly ModelFeature[]): unknown {
  if (!(error instanceof ProviderError) || !(error.cause instanceof ProviderAnswerError)) {
    return error;
  }
  const { answer } = error.cause;
  const missing = features.includes('tools') ? missingPart(answer) : null;
  if (missing !== null) {
    return new ProviderError(error.details, { ...error.options, refusedParameter: missing });
  }
  const feature = isMishap(answer) ? null : refusedFeature(answer, features);
  const refused =
    feature === null ? refusedParameter(answer, parameters) : parameterToDrop(feature, answer, parameters);
  if (refused !== null) {
    return new ProviderError(error.details, { ...error.options, refusedParameter: refused });
  }
  const { cause, providerStatus } = error.options;
  return feature === null ? error : FeatureNotSupportedError.of(feature, { cause, providerStatus });
}

/**
 * Members of earlier calls that some models require and other servers refuse: the reasoning (DeepSeek, Kimi), or a
 * signature of it (Gemini).
 */
const PARTS_OF_CALLS: [string, RegExp][] = [
  ['reasoning_content', /reasoning_content.{0,40}(?:must be passed back|is missing)|missing.{0,4}reasoning_content/i],
  ['thought_signature', /missing a.{0,4}thought_signature/i],
];

function missingPart({ status, sentence }: ProviderAnswer): RefusedParameter | null {
  const found = PARTS_OF_CALLS.find(([, pattern]) => status === 400 && pattern.test(sentence));
  return found ? { parameter: found[0], adjustment: { include: true }, isLasting: true } : null;
}

/** The parameter without which the feature is not refused. */
function parameterToDrop(feature: ModelFeature, answer: ProviderAnswer, sent: JsonObject): RefusedParameter | null {
  if (feature === 'tools' && wantsNoEffort(answer) && sent.reasoning_effort !== 'none') {
    return { parameter: 'reasoning_effort', adjustment: { set: 'none', besides: 'tools' }, isLasting: true };
  }
  const refused = refusedParameter(answer, sent);
  if (refused === null || !isNamedIn(answer, refused.parameter)) {
    return null;
  }
  const { adjustment } = refused;
  // Some models refuse a parameter only in combination with functions.
  const isPair = feature === 'tools' && 'leaveOut' in adjustment;
  return isPair ? { ...refused, adjustment: { besides: 'tools', ...adjustment } } : refused;
}

/** Newer OpenAI models reason by default, and accept functions only without reasoning. */
function wantsNoEffort({ sentence }: ProviderAnswer): boolean {
  return /set reasoning_effort to ['"`]?none/i.test(sentence);
}

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
function refusedFeature(answer: ProviderAnswer, needed: readonly ModelFeature[]): ModelFeature | null {
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

/** Two names of the same limit: newer OpenAI models support one, most other servers the other. */
const OTHER_NAMES: Record<string, string> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Other words that providers use for a parameter. */
const DESCRIPTIONS: Record<string, RegExp> = {
  max_tokens: /max_(?:completion|output)_tokens/,
  max_completion_tokens: /max_(?:output_)?tokens/,
  reasoning_effort: /\b(?:think|thinking|reasoning)\b/i,
  stop_sequences: /stop sequences?/i,
  stream_options: /include_usage/,
};

/** Names that are also common words. They count only in quotation marks, after a colon, or in a path. */
const ORDINARY_WORDS = ['stop', 'seed', 'strict'];

const REFUSAL =
  /unsupported|not support|unrecogni[sz]ed|unknown|unexpected|extra inputs|not (?:permitted|allowed|accepted)|deprecated|invalid|cannot|incompatible|must be|should be|range|too (?:large|high|low|small)|at most|maximum|minimum|higher/i;
const UNKNOWN_PARAMETER =
  /unsupported (?:parameter|argument)|unrecogni[sz]ed|unknown|unexpected|extra inputs|not (?:permitted|allowed|accepted)|deprecated|is unsupported|(?:is|are) not (?:supported|available)|not supported|not support|only the default/i;
const CONFLICT = /\bboth\b|only one|same time|mutually exclusive|together/i;
/** If two parameters exclude each other, the first one in this order is left out. */
const DISPENSABLE = ['top_p', 'top_k', 'max_tokens'];

const BOUNDS = [
  /> (-?[\d.]*\d), which is the maximum/,
  /supports at most (\d+)/i,
  /(?:less than or equal to|at most|<=|maximum(?: value)?(?: is| of)?) [`'"]?(-?[\d.]*\d)/i,
  /\[\s*-?[\d.]+\s*,\s*(-?[\d.]*\d)\s*\]/,
  /between -?[\d.]*\d and (-?[\d.]*\d)/i,
];

/**
 * The parameter that a response refuses, and the change that it needs; null if it refuses no sent parameter.
 *
 * @param sent the sent parameters, without messages and model
 */
function refusedParameter(answer: ProviderAnswer, sent: JsonObject): RefusedParameter | null {
  if (![400, 422].includes(answer.status)) {
    return null;
  }
  const named = namedParameters(answer, Object.keys(sent));
  const [parameter] = named;
  if (parameter === undefined) {
    return null;
  }
  const room = parameter in OTHER_NAMES ? roomForReply(answer) : null;
  if (room !== null) {
    return { parameter, adjustment: { atMost: room }, isLasting: false };
  }
  if (named.length > 1 && CONFLICT.test(answer.sentence)) {
    const dropped = DISPENSABLE.find((name) => named.includes(name)) ?? parameter;
    const conflicting = named.find((name) => name !== dropped);
    return { parameter: dropped, adjustment: { leaveOut: true, besides: conflicting }, isLasting: true };
  }
  return { parameter, adjustment: adjustmentFor(answer, parameter, sent[parameter]), isLasting: true };
}

function adjustmentFor({ sentence, codes }: ProviderAnswer, parameter: string, value: unknown): ParameterAdjustment {
  const bound = typeof value === 'number' ? boundIn(sentence, value) : null;
  if (bound !== null) {
    return { atMost: bound };
  }
  const isUnknown = UNKNOWN_PARAMETER.test(sentence) || codes.includes('unsupported_parameter');
  const otherName = OTHER_NAMES[parameter];
  if (otherName !== undefined && isUnknown) {
    return { rename: otherName };
  }
  const isOneOfMany = typeof value === 'string' && /value/i.test(sentence);
  const isScalar = typeof value === 'string' || typeof value === 'number';
  return isScalar && (!isUnknown || isOneOfMany) ? { leaveOut: true, value } : { leaveOut: true };
}

function boundIn(sentence: string, value: number): number | null {
  const bounds = BOUNDS.map((pattern) => pattern.exec(sentence)?.[1]);
  const bound = bounds.find((text) => text !== undefined && Number(text) < value);
  return bound === undefined ? null : Number(bound);
}

/** The sent parameters that a response names; those in a field come first. */
function namedParameters({ sentence, parameters, codes }: ProviderAnswer, sent: string[]): string[] {
  const isRefusal = REFUSAL.test(sentence) || codes.some((code) => REFUSAL.test(code));
  const inFields = sent.filter((name) => parameters.includes(name) || parameters.includes(OTHER_NAMES[name] ?? name));
  const inSentence = isRefusal ? sent.filter((name) => nameIn(name).test(sentence)) : [];
  const named = [...new Set([...inFields, ...inSentence.sort(byPlaceIn(sentence))])];
  return named.length > 0 || !isRefusal ? named : sent.filter((name) => DESCRIPTIONS[name]?.test(sentence));
}

/** Whether the response has the parameter's own name, and not only another word for it. */
function isNamedIn({ sentence, parameters }: ProviderAnswer, parameter: string): boolean {
  return parameters.includes(parameter) || nameIn(parameter).test(sentence);
}

function byPlaceIn(sentence: string): (a: string, b: string) => number {
  return (a, b) => sentence.search(nameIn(a)) - sentence.search(nameIn(b));
}

/** Matches the name in snake or camel case; a common word only in quotation marks, after a colon, or in a path. */
function nameIn(name: string): RegExp {
  const camelCase = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return ORDINARY_WORDS.includes(name)
    ? new RegExp(`[\`'"]${name}[\`'"]|: ${name}\\b|^${name}:|\\w\\.${name}\\b`, 'm')
    : new RegExp(`\\b(?:${name}|${camelCase})\\b`);
}
