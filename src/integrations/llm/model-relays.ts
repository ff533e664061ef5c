import { Injectable } from '@nestjs/common';
import { FailedRequests } from './generation/failed-requests';
import { type ModelSpan, ModelSpans } from './generation/model-spans';
import { timeoutError } from './generation/provider-request';
import type { TracedRequest } from './port/completion';
import { GenerationAbortedError } from './port/llm.errors';
import type { RelayedAnswer, RelayLimits, RelayRequest } from './port/relay';
import { ModelRegistry } from './providers/model-registry';

export { tariffOf } from './adapters/anthropic-usage';
export { MessageMeter, type MeterListener } from './adapters/message-meter';
export { incompleteMessage, wholeParts } from './adapters/relayed-parts';
export { LONGEST_REPLY, toCallFailure } from './generation/provider-request';

/**
 * Relays requests to providers byte for byte, with time limits and the circuit breaker of the provider. It never
 * retries, because the clients of such requests do.
 */
@Injectable()
export class ModelRelays {
  private readonly failures = new FailedRequests();

  constructor(
    private readonly registry: ModelRegistry,
    private readonly spans: ModelSpans,
  ) {}

  /** The span of a request that is about to be relayed. The caller ends it. */
  startSpan(request: RelayRequest, traced: TracedRequest): ModelSpan {
    return this.spans.start('chat', this.registry.resolve(request), {}, traced);
  }

  /**
   * Resolves with the head of a successful response; that of a stream when its first bytes have arrived.
   *
   * @throws ModelProviderError, also a ProviderRefusalError; GenerationAbortedError when `signal` aborts
   */
  async open(request: RelayRequest, limits: RelayLimits, signal: AbortSignal): Promise<RelayedAnswer> {
    const candidate = this.registry.resolve(request);
    const { provider, model, breaker, restraint, health } = candidate;
    const rest = restraint.restOf(model);
    if (rest > 0) {
      throw restraint.refusal(rest);
    }
    const run = new RelayRun(limits, signal);
    try {
      const answer = await breaker.execute(() => run.start(provider.relay(request, run.signal)));
      health.answered(model);
      return answer;
    } catch (error) {
      restraint.note(model, error);
      this.failures.report(candidate, error);
      throw error;
    }
  }
}

/** One relayed request with its time limits. */
class RelayRun {
  private readonly cut = new AbortController();
  private readonly total: NodeJS.Timeout;
  private pause: NodeJS.Timeout | undefined;
  private readonly onAbort = (): void => this.cut.abort(new GenerationAbortedError());

  constructor(
    private readonly limits: RelayLimits,
    private readonly caller: AbortSignal,
  ) {
    this.total = setTimeout(() => this.cut.abort(timeoutError('total', limits.total)), limits.total);
    if (caller.aborted) {
      this.onAbort();
    } else {
      caller.addEventListener('abort', this.onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.cut.signal;
  }

  async start(opening: Promise<RelayedAnswer>): Promise<RelayedAnswer> {
    this.limit('first_token', this.limits.firstToken);
    try {
      const answer = await opening;
      const parts = answer.parts[Symbol.asyncIterator]();
      const first = await parts.next();
      clearTimeout(this.pause);
      return { ...answer, parts: this.rest(first, parts) };
    } catch (error) {
      this.end();
      const reason = this.reasonOf(error);
      this.cut.abort();
      throw reason;
    }
  }

  private async *rest(first: IteratorResult<Buffer>, parts: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
    try {
      for (let part = first; part.done !== true; part = await this.next(parts)) {
        yield part.value;
      }
    } catch (error) {
      throw this.reasonOf(error);
    } finally {
      this.end();
      this.cut.abort(new GenerationAbortedError());
    }
  }

  /** The limit applies only while the service waits for the provider, not while a slow client reads. */
  private async next(parts: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    this.limit('idle', this.limits.idle);
    const next = await parts.next();
    clearTimeout(this.pause);
    return next;
  }

  private limit(phase: 'first_token' | 'idle', limit: number | null): void {
    if (limit !== null) {
      this.pause = setTimeout(() => this.cut.abort(timeoutError(phase, limit, phase === 'first_token')), limit);
    }
  }

  /** Aborting makes the request fail in many ways, but has one reason. */
  private reasonOf(error: unknown): unknown {
    return this.cut.signal.aborted ? this.cut.signal.reason : error;
  }

  private end(): void {
    clearTimeout(this.total);
    clearTimeout(this.pause);
    this.caller.removeEventListener('abort', this.onAbort);
  }
}
