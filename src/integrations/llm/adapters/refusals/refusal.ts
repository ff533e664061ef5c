import { FeatureNotSupportedError, ProviderError } from '../../port/llm.errors';
import type { ModelFeature } from '../../port/message-parts';
import type { RefusedParameter } from '../../port/parameter-adjustment';
import type { JsonObject } from '../json-object';
import type { ProviderAnswer } from './provider-answer';
import { isMishap, ProviderAnswerError } from './provider-failure';
import { refusedFeature } from './refused-feature';
import { isNamedIn, refusedParameter } from './refused-parameter';

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
