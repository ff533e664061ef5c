import { isNativeError } from 'node:util/types';
import {
  ContentRefusedError,
  ContextTooLongError,
  FeatureNotSupportedError,
  type ModelProviderError,
  ProviderTimeoutError,
  TOOL_CALL,
} from '../port/llm.errors';
import { isLeftAlone } from './resilience';

/** Failures that are about one request, whatever their status. */
const OF_A_REQUEST = [ContentRefusedError, ContextTooLongError, FeatureNotSupportedError];

/** Statuses that are about one request and not about the provider. */
const STATUSES_OF_A_REQUEST = new Set([400, 413, 422]);

const REASONS: Record<number, OutcomeReason> = {
  401: 'key_refused',
  403: 'key_refused',
  404: 'not_found',
  402: 'limited',
  429: 'limited',
};

/** Statuses of servers that have no list of models. */
const NO_LIST = new Set([404, 405, 501]);

/** Longest text of a provider that is kept, in characters. */
const LONGEST_SENTENCE = 500;

/** Models of a provider whose failures are counted. */
const MOST_MODELS = 100;

/** Why a provider failed, in one word that repeats nothing of the provider's text. */
export const OUTCOME_REASONS = ['key_refused', 'not_found', 'limited', 'timeout', 'unreachable', 'failed'] as const;
export type OutcomeReason = (typeof OUTCOME_REASONS)[number];

/** The result of the last attempt at a provider. */
export interface ProviderOutcome {
  at: Date;
  ok: boolean;
  /** Whether the provider is the cause, and not the one request. */
  isDown: boolean;
  reason: OutcomeReason | null;
  /** HTTP status of a failed answer; null without an answer and after a success. */
  status: number | null;
  /** The code of our error. */
  code: string | null;
  /** The provider's own sentence without keys, or the connection's error. For administrators. */
  message: string | null;
}

/** Remembers what one provider did last, on this instance. */
export class ProviderHealth {
  last: ProviderOutcome | null = null;
  /** Whether its list of models was read; null: nobody has asked for it, or it has none. */
  isReachable: boolean | null = null;
  /** When it last gave a reply. That it lists models says nothing about that. */
  answeredAt: Date | null = null;
  /** Since when the provider is the cause of all failures; null: it is not. */
  downSince: Date | null = null;
  /** Models whose last attempts all failed: how many, and since when. */
  readonly failing = new Map<string, { count: number; since: Date }>();

  answered(model: string): void {
    this.succeeded();
    this.failing.delete(model);
    this.answeredAt = new Date();
  }

  listed(): void {
    this.succeeded();
    this.isReachable = true;
  }

  notListed(error: ModelProviderError): void {
    if (hasNoList(error)) {
      this.isReachable = null;
    } else {
      this.isReachable = false;
      this.failed(error);
    }
  }

  /** @param model which of its models was asked, if one was */
  failed(error: ModelProviderError, model?: string): void {
    // The provider was not asked, so the last result stays.
    if (isLeftAlone(error)) {
      return;
    }
    this.last = outcomeOf(error);
    this.downSince = this.last.isDown ? (this.downSince ?? this.last.at) : null;
    if (model !== undefined && this.last.isDown && (this.failing.has(model) || this.failing.size < MOST_MODELS)) {
      const { count, since } = this.failing.get(model) ?? { count: 0, since: this.last.at };
      this.failing.set(model, { count: count + 1, since });
    }
  }

  private succeeded(): void {
    this.downSince = null;
    this.last = { at: new Date(), ok: true, isDown: false, reason: null, status: null, code: null, message: null };
  }
}

/** Whether the provider answers but has no list of models. */
export function hasNoList({ providerStatus }: ModelProviderError): boolean {
  return providerStatus !== null && NO_LIST.has(providerStatus);
}

function outcomeOf(error: ModelProviderError): ProviderOutcome {
  return {
    at: new Date(),
    ok: false,
    isDown: isProvidersFault(error),
    reason: reasonOf(error),
    status: error.providerStatus,
    code: error.code,
    message: providerSentence(error),
  };
}

/** The provider's sentence in one short line; null when there is none. Keys are removed where the answer is read. */
export function providerSentence({ cause }: ModelProviderError): string | null {
  if (!isNativeError(cause)) {
    return null;
  }
  const said = /^The provider answered \d+: (.*)$/s.exec(cause.message)?.[1];
  // If all addresses of a host refuse the connection, the message is empty and only the code tells.
  const { code = '' } = cause as { code?: string };
  const sentence = said === undefined ? cause.message || code : inJson(said);
  const line = sentence.replace(/\s+/g, ' ').trim().slice(0, LONGEST_SENTENCE).toWellFormed();
  return line === '' ? null : line;
}

/** The sentence inside a JSON answer, from one of a few usual places. */
function inJson(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown; detail?: unknown } | null;
    const error = body?.error as { message?: unknown } | null | undefined;
    const found = [error?.message, body?.error, body?.message, body?.detail].find((part) => typeof part === 'string');
    return typeof found === 'string' ? found : text;
  } catch {
    return text;
  }
}

function isProvidersFault(error: ModelProviderError): boolean {
  if (OF_A_REQUEST.some((Refusal) => error instanceof Refusal)) {
    return false;
  }
  // The model works: it called a tool, which this service does not offer.
  if (error.details.reason === TOOL_CALL) {
    return false;
  }
  // If the model was talking until the end of the time, the provider is not down.
  if (error instanceof ProviderTimeoutError && error.details.phase === 'total') {
    return error.isOutage;
  }
  return error.providerStatus === null || !STATUSES_OF_A_REQUEST.has(error.providerStatus);
}

/** Why it failed, in one word. */
export function reasonOf(error: ModelProviderError): OutcomeReason {
  const status = error.providerStatus;
  const known = status === null ? undefined : REASONS[status];
  if (known !== undefined) {
    return known;
  }
  if (error instanceof ProviderTimeoutError) {
    return 'timeout';
  }
  return error.isOutage && status === null ? 'unreachable' : 'failed';
}
