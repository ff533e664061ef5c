import { isNativeError } from 'node:util/types';
import { isLeftAlone } from './generation/resilience';
import {
  ContentRefusedError,
  ContextTooLongError,
  type ModelProviderError,
  ProviderTimeoutError,
  TOOL_CALL,
} from './llm.errors';

/** Statuses that speak of the one request and not of the provider. */
const STATUSES_OF_A_REQUEST = new Set([400, 413, 422]);

const REASONS: Record<number, OutcomeReason> = {
  401: 'key_refused',
  403: 'key_refused',
  404: 'not_found',
  402: 'limited',
  429: 'limited',
};

/** Characters of what a provider said that are kept. */
const LONGEST_SENTENCE = 500;

/** Why a provider is of no use, in a word that tells nothing of what it said. */
export const OUTCOME_REASONS = ['key_refused', 'not_found', 'limited', 'timeout', 'unreachable', 'failed'] as const;
export type OutcomeReason = (typeof OUTCOME_REASONS)[number];

/** What the last attempt at a provider found. */
export interface ProviderOutcome {
  at: Date;
  ok: boolean;
  /** Whether the failure speaks of the provider, and not of the one request. */
  isDown: boolean;
  reason: OutcomeReason | null;
  /** HTTP status of its answer; null when there was none, or nothing was wrong with it. */
  status: number | null;
  /** Code of our error. */
  code: string | null;
  /** The provider's own words without keys, or those of the connection. For administrators. */
  message: string | null;
}

/** Remembers the last attempt at one provider, on this instance. */
export class ProviderHealth {
  last: ProviderOutcome | null = null;

  succeeded(): void {
    this.last = { at: new Date(), ok: true, isDown: false, reason: null, status: null, code: null, message: null };
  }

  failed(error: ModelProviderError): void {
    // Nobody was asked: what is known stays.
    if (!isLeftAlone(error)) {
      this.last = outcomeOf(error);
    }
  }
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

/** What the provider said, in one bounded line; null when it said nothing. Keys are cut out where it is read. */
export function providerSentence({ cause }: ModelProviderError): string | null {
  if (!isNativeError(cause)) {
    return null;
  }
  const said = /^The provider answered \d+: (.*)$/s.exec(cause.message)?.[1];
  // Where every address of a host refuses, only the code says so.
  const { code = '' } = cause as { code?: string };
  const sentence = said === undefined ? cause.message || code : inJson(said);
  const line = sentence.replace(/\s+/g, ' ').trim().slice(0, LONGEST_SENTENCE).toWellFormed();
  return line === '' ? null : line;
}

/** Providers wrap their sentence in JSON, in one of a few usual places. */
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
  if (error instanceof ContentRefusedError || error instanceof ContextTooLongError) {
    return false;
  }
  // A model that calls a tool works; it was asked for something that is not done here.
  if (error.details.reason === TOOL_CALL) {
    return false;
  }
  // A reply that took all its time is no sign of anything while the model was talking.
  if (error instanceof ProviderTimeoutError && error.details.phase === 'total') {
    return error.isOutage;
  }
  return error.providerStatus === null || !STATUSES_OF_A_REQUEST.has(error.providerStatus);
}

function reasonOf(error: ModelProviderError): OutcomeReason {
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
