import type { ParameterAdjustment, RefusedParameter } from '../../port/parameter-adjustment';
import type { JsonObject } from '../json-object';
import type { ProviderAnswer } from './provider-answer';
import { roomForReply } from './refused-length';

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
export function refusedParameter(answer: ProviderAnswer, sent: JsonObject): RefusedParameter | null {
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
export function isNamedIn({ sentence, parameters }: ProviderAnswer, parameter: string): boolean {
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
