import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { CalledModel, CallFailure, ProviderUsage } from '../port/called-model';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  type LanguageModelProvider,
  toProviderUsage,
} from '../port/language-model-provider';
import {
  FeatureNotSupportedError,
  GenerationAbortedError,
  ModelProviderError,
  ProviderTimeoutError,
} from '../port/llm.errors';
import { toModelName, toStorableText } from '../port/storable-text';
import { providerSentence } from '../providers/provider-outcome';

/**
 * Longest reply, in UTF-16 units; a longer one ends with the finish reason `length`. It is far more than any model
 * writes. At 3 bytes per unit it fits into one statement of MariaDB (16 MiB by default).
 */
export const LONGEST_REPLY = 4_000_000;

/** How much a call adds to the length of all calls, in addition to its name and arguments. */
const LENGTH_OF_CALL = 64;

/** Time limits of one request, in milliseconds. */
export interface RequestLimits {
  firstToken: number;
  idle: number;
}

/**
 * One call of one provider. It enforces the time limits, and ends immediately when `fail` is called, whatever the
 * adapter does then. Later text is dropped.
 */
export class ProviderRequest implements CompletionListener {
  /**
   * Resolves at the first token (text, reasoning or a call) or at the end of an empty reply; rejects if the call fails
   * before.
   */
  readonly started: Promise<void>;
  readonly result: Promise<CompletionResult>;
  /** Whether text, reasoning or a call was passed on. A reader may have seen it, so no other request is allowed. */
  hasBegun = false;
  /** Set only if the caller accepts calls, so that an adapter can check. */
  readonly onToolCall: CompletionListener['onToolCall'];

  private readonly controller = new AbortController();
  private isActive = false;
  private isSettled = false;
  private length = 0;
  private reasoningLength = 0;
  private callsLength = 0;
  private model = '';
  private timer: NodeJS.Timeout;
  private settleStarted!: { resolve(): void; reject(error: unknown): void };
  private settleResult!: { resolve(result: CompletionResult): void; reject(error: unknown): void };

  constructor(
    private readonly listener: CompletionListener,
    private readonly limits: RequestLimits,
    private readonly called: CalledModel,
  ) {
    this.started = new Promise((resolve, reject) => (this.settleStarted = { resolve, reject }));
    this.result = new Promise((resolve, reject) => (this.settleResult = { resolve, reject }));
    // A caller awaits one of the two; the rejection of the other one must not count as unhandled.
    this.started.catch(() => undefined);
    this.result.catch(() => undefined);
    this.onToolCall = listener.onToolCall && ((index, call) => this.beginCall(index, call));
    this.timer = setTimeout(() => this.fail(timeoutError('first_token', limits.firstToken, true)), limits.firstToken);
  }

  /** Whether the request still waits for the provider's first sign of activity. */
  get isSilent(): boolean {
    return !this.isActive && !this.isSettled;
  }

  send(provider: LanguageModelProvider, request: CompletionRequest): this {
    this.model = request.model ?? '';
    provider.complete(request, this, this.controller.signal).then(
      (result) => this.succeed(result),
      (error: unknown) => this.fail(error),
    );
    return this;
  }

  onAnswered(): void {
    this.called.isTaken = true;
  }

  onAnswerId(id: string): void {
    this.called.answerId = id;
  }

  onUsage(usage: ProviderUsage): void {
    this.called.usage = toProviderUsage(usage);
  }

  onText(text: string): void {
    if (this.isSettled) {
      return;
    }
    this.onActivity();
    const fitting = beginningOf(text, LONGEST_REPLY - this.length);
    this.length += fitting.length;
    if (this.pass(fitting, (passed) => this.listener.onText(passed)) && fitting !== text) {
      this.endTooLong();
    }
  }

  onReasoning(text: string): void {
    if (this.isSettled) {
      return;
    }
    this.onActivity();
    const { listener } = this;
    if (listener.onReasoning !== undefined) {
      // Reasoning beyond the limit is dropped, and counts only as activity.
      const fitting = beginningOf(text, LONGEST_REPLY - this.reasoningLength);
      this.reasoningLength += fitting.length;
      this.pass(fitting, (passed) => listener.onReasoning?.(passed));
    }
  }

  onTextWasReasoning(): void {
    if (!this.isSettled) {
      this.listener.onTextWasReasoning?.();
    }
  }

  onToolArguments(index: number, text: string): void {
    if (this.isSettled) {
      return;
    }
    this.onActivity();
    const fitting = beginningOf(text, LONGEST_REPLY - this.callsLength);
    this.callsLength += fitting.length;
    if (this.pass(fitting, (passed) => this.listener.onToolArguments?.(index, passed)) && fitting !== text) {
      this.endTooLong();
    }
  }

  onEvent(event: string): void {
    if (!this.isSettled) {
      this.onActivity();
      this.pass(event, (passed) => this.listener.onEvent?.(passed));
    }
  }

  onActivity(): void {
    if (!this.isSettled) {
      this.listener.onActivity?.();
    }
    if (this.isActive) {
      // This runs for every token, and refreshing a timer is far cheaper than creating one.
      this.timer.refresh();
    } else if (!this.isSettled) {
      this.isActive = true;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fail(timeoutError('idle', this.limits.idle)), this.limits.idle);
    }
  }

  /** Ends the request with this error and closes the provider's connection. Has no effect after the end. */
  fail(error: unknown): void {
    if (this.settle()) {
      // A provider that timed out may have read the prompt, and may bill it.
      this.called.isTaken ||= error instanceof ProviderTimeoutError;
      this.called.failure = toCallFailure(error);
      this.called.isCut = this.called.failure === null;
      this.settleStarted.reject(error);
      this.settleResult.reject(error);
      this.controller.abort(error);
    }
  }

  private beginCall(index: number, call: { id: string; name: string }): void {
    if (this.isSettled) {
      return;
    }
    this.onActivity();
    this.callsLength += call.id.length + call.name.length + LENGTH_OF_CALL;
    if (this.callsLength > LONGEST_REPLY) {
      this.endTooLong();
    } else {
      this.pass(call.name, () => this.listener.onToolCall?.(index, call));
    }
  }

  private endTooLong(): void {
    this.succeed({ finishReason: 'length', usage: null, model: this.model });
    this.controller.abort(new GenerationAbortedError());
  }

  /** Returns whether the listener accepted the text. If the listener throws, the request ends. */
  private pass(text: string, toListener: (text: string) => void): boolean {
    try {
      if (text !== '') {
        toListener(text);
      }
    } catch (error) {
      this.fail(error);
      return false;
    }
    if (!this.hasBegun) {
      this.hasBegun = true;
      this.called.firstAt = performance.now();
      this.called.isTaken = true;
      this.settleStarted.resolve();
    }
    return true;
  }

  private succeed(result: CompletionResult): void {
    if (this.settle()) {
      this.called.isTaken = true;
      this.called.answered = toModelName(result.model) || null;
      this.settleStarted.resolve();
      this.settleResult.resolve(result);
    }
  }

  private settle(): boolean {
    const isFirst = !this.isSettled;
    if (isFirst) {
      this.called.endedAt = performance.now();
    }
    this.isSettled = true;
    this.isActive = false;
    clearTimeout(this.timer);
    return isFirst;
  }
}

/**
 * @param limit milliseconds
 * @param isOutage whether the provider showed no activity within the limit
 */
export function timeoutError(
  phase: 'first_token' | 'idle' | 'total',
  limit: number,
  isOutage = false,
): ProviderTimeoutError {
  return new ProviderTimeoutError({ phase, limit_seconds: limit / 1_000 }, { retryable: true, isOutage });
}

/** The stored facts of a failed request. Null if the caller aborted it, because the provider did not fail then. */
export function toCallFailure(error: unknown): CallFailure | null {
  if (!(error instanceof ModelProviderError)) {
    return null;
  }
  const sentence = providerSentence(error);
  return {
    code: error.code,
    status: error.providerStatus,
    message: sentence === null ? null : toStorableText(sentence),
    refused: refusedBy(error),
  };
}

function refusedBy(error: ModelProviderError): string | null {
  const { refusedParameter } = error.options;
  if (refusedParameter !== undefined) {
    return refusedParameter.parameter;
  }
  return error instanceof FeatureNotSupportedError ? String(error.details.feature) : null;
}
