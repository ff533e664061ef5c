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

/** Failures that concern one request, whatever their status. */
const OF_A_REQUEST = [ContentRefusedError, ContextTooLongError, FeatureNotSupportedError];

/** Statuses that concern one request and not the provider. */
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

/** Longest stored text of a provider, in characters. */
const LONGEST_SENTENCE = 500;

/** Most models of a provider whose failures are counted. */
const MOST_MODELS = 100;

/** Why a provider failed, as a code that contains no text of the provider. */
export const OUTCOME_REASONS = ['key_refused', 'not_found', 'limited', 'timeout', 'unreachable', 'failed'] as const;
export type OutcomeReason = (typeof OUTCOME_REASONS)[number];

/** The result of the last request to a provider. */
export interface ProviderOutcome {
  at: Date;
  ok: boolean;
  /** Whether the provider is the cause, and not only the request. */
  isDown: boolean;
  reason: OutcomeReason | null;
  /** HTTP status of a failed response; null without a response and after a success. */
  status: number | null;
  /** The service's error code. */
  code: string | null;
  /** The provider's own message without keys, or the connection's error. For administrators. */
  message: string | null;
}

/** The last outcomes of one provider, on this instance. */
export class ProviderHealth {
  last: ProviderOutcome | null = null;
  /** Whether its list of models could be read; null: it was not requested, or the provider has none. */
  isReachable: boolean | null = null;
  /** When it last sent a reply. A list of models does not count. */
  answeredAt: Date | null = null;
  /** Since when the provider has caused all failures; null: it has not. */
  downSince: Date | null = null;
  /** Models whose last requests all failed, with their number and the time of the first. */
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

  /** @param model the model that was called, if any */
  failed(error: ModelProviderError, model?: string): void {
    // The provider was not called, so the last result stays.
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

/** The provider's message in one short line; null if there is none. Keys were removed when the response was read. */
export function providerSentence({ cause }: ModelProviderError): string | null {
  if (!isNativeError(cause)) {
    return null;
  }
  const said = /^The provider answered \d+: (.*)$/s.exec(cause.message)?.[1];
  // If all addresses of a host refuse the connection, the message is empty and only the code is informative.
  const { code = '' } = cause as { code?: string };
  const sentence = said === undefined ? cause.message || code : inJson(said);
  const line = sentence.replace(/\s+/g, ' ').trim().slice(0, LONGEST_SENTENCE).toWellFormed();
  return line === '' ? null : line;
}

/** The message inside a JSON response, from one of a few usual places. */
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

/** Whether the provider is the cause of a failure, and not only the request. */
export function isProvidersFault(error: ModelProviderError): boolean {
  if (OF_A_REQUEST.some((Refusal) => error instanceof Refusal)) {
    return false;
  }
  // The model works: it called a tool although none was offered.
  if (error.details.reason === TOOL_CALL) {
    return false;
  }
  // If the model was sending output until the time limit, the provider is not down.
  if (error instanceof ProviderTimeoutError && error.details.phase === 'total') {
    return error.isOutage;
  }
  return error.providerStatus === null || !STATUSES_OF_A_REQUEST.has(error.providerStatus);
}

/** Why it failed, as a code. */
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
