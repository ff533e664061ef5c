import { isNativeError } from 'node:util/types';
import { retryAfterMilliseconds } from '../../../../common/http/retry-after';
import {
  ContentRefusedError,
  ContextTooLongError,
  type ModelProviderError,
  type ModelProviderErrorOptions,
  ProviderError,
  ProviderUnavailableError,
} from '../../port/llm.errors';
import { ForbiddenProviderError } from '../../providers/provider-targets';
import { maskKeys, type ProviderAnswer, readProviderAnswer } from './provider-answer';
import { refusedLength } from './refused-length';

const LONGEST_RETRY_AFTER_SECONDS = 3_600;
const LONGEST_LOGGED_TEXT = 2_000;

/** The provider's response that caused a failure, for the log and for classification. */
export class ProviderAnswerError extends Error {
  override readonly name = 'ProviderAnswerError';

  constructor(
    readonly answer: ProviderAnswer,
    text: string,
  ) {
    super(`The provider answered ${answer.status}: ${text}`);
  }
}

/** The service's error for an HTTP status of the provider. `text` is the response; only the log gets it. */
export function failureForStatus(status: number, text: string, retryAfter?: string | string[]): ModelProviderError {
  return toFailure(status, text, { retryAfterSeconds: parseRetryAfter(retryAfter), isOutage: status >= 500 });
}

/** Like `failureForStatus`, for a status inside the stream: a provider that answers is not down. */
export function failureInStream(status: number, text: string): ModelProviderError {
  return toFailure(status, text, {});
}

function toFailure(
  status: number,
  text: string,
  facts: Pick<ModelProviderErrorOptions, 'retryAfterSeconds' | 'isOutage'>,
): ModelProviderError {
  const answer = readProviderAnswer(status, text);
  const cause = new ProviderAnswerError(answer, text);
  const length = refusedLength(answer);
  if (length !== null) {
    return ContextTooLongError.of(length.tokens, length.limit, { cause, providerStatus: status });
  }
  if (isRefusedText(answer)) {
    return new ContentRefusedError({}, { cause, providerStatus: status });
  }
  const retryable = status === 408 || status === 429 || status >= 500 || isMishap(answer);
  const isUnavailable = status === 429 || status === 503 || status === 529;
  const Failure = isUnavailable ? ProviderUnavailableError : ProviderError;
  return new Failure({}, { cause, providerStatus: status, retryable, ...facts });
}

/** The model called a function in a way that its server could not parse (Groq). Its next reply will differ. */
export function isMishap({ codes }: ProviderAnswer): boolean {
  return codes.includes('tool_use_failed');
}

/**
 * The connection failed. Before the response the provider was unreachable; during the response the connection broke.
 */
export function failureForConnection(cause: unknown, hasAnswerBegun: boolean): ModelProviderError {
  return hasAnswerBegun
    ? new ProviderError({}, { cause, retryable: true })
    : new ProviderUnavailableError(
        {},
        { cause, retryable: !(cause instanceof ForbiddenProviderError), isOutage: true },
      );
}

/** The provider's response is not a completion. */
export function failureForAnswer(reason: string, retryable = false): ModelProviderError {
  return new ProviderError({}, { cause: new Error(reason), retryable });
}

/** Seconds from a `Retry-After` header, at most an hour; undefined if the header has no time. */
export function parseRetryAfter(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const milliseconds = retryAfterMilliseconds(header, new Date(now));
  return milliseconds === null ? undefined : Math.min(Math.ceil(milliseconds / 1_000), LONGEST_RETRY_AFTER_SECONDS);
}

/**
 * Removes keys from the provider's text in a failure, and then cuts the text, before it can be logged or shown. The
 * order matters, because half of a key would no longer be recognized.
 *
 * @param key the service's key for the provider
 */
export function withoutKeys(error: Error, key: string | null): void {
  const { cause } = error;
  if (isNativeError(cause)) {
    const masked = maskKeys(cause.message, key).slice(0, LONGEST_LOGGED_TEXT);
    if (masked !== cause.message) {
      cause.stack = cause.stack?.replace(cause.message, () => masked);
      cause.message = masked;
    }
  }
}

const CODES = [
  'content_filter',
  'content_policy_violation',
  'content_blocked',
  'data_inspection_failed',
  'datainspectionfailed',
  'invalid_prompt',
  'moderation_blocked',
  'responsibleaipolicyviolation',
];

const SENTENCE = new RegExp(
  [
    'content management policy',
    'content filter',
    'content exists risk',
    'inappropriate content',
    'input was flagged',
    'prompt was flagged',
    'violat\\w+ .{0,40}(usage|content|safety) (polic|guideline)',
    'violates? usage (polic|guideline)',
    'rejected .{0,40}safety system',
    'moderation (check|policy|failed)',
  ].join('|'),
  'i',
);

/** Whether a provider refuses the content of the conversation. */
function isRefusedText({ status, codes, sentence }: ProviderAnswer): boolean {
  const mayRefuse = [400, 403, 422, 451].includes(status);
  return mayRefuse && (codes.some((code) => CODES.includes(code)) || SENTENCE.test(sentence));
}
