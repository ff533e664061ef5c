import type { Dispatcher } from '../../common/undici';
import { type OutboundFailure, outboundFailure } from './outbound-failure';

export type ResponseHeaders = Record<string, string | string[] | undefined>;

/** Reads the response to one request within a time limit, and reports the outcome once. */
export abstract class ResponseReader<Result> implements Dispatcher.DispatchHandler {
  private request: Dispatcher.DispatchController | undefined;
  private isSettled = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly onAbort = (): void => this.stop('aborted');

  /**
   * @param signal ends the request early
   * @param timeoutMilliseconds until the end, or until `limitTime` sets another limit
   */
  constructor(
    private readonly signal: AbortSignal,
    timeoutMilliseconds: number,
    private readonly resolve: (result: Result) => void,
  ) {
    this.limitTime(timeoutMilliseconds);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(request: Dispatcher.DispatchController): void {
    this.request = request;
    if (this.isSettled) {
      request.abort(new Error('The request ended before it began.'));
    }
  }

  abstract onResponseStart(request: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void;

  abstract onResponseData(request: Dispatcher.DispatchController, chunk: Buffer): void;

  abstract onResponseEnd(): void;

  onResponseError(_request: Dispatcher.DispatchController, error: Error): void {
    this.settle(outboundFailure(error));
  }

  /** The caller's result when reading has ended. @param failure why, if the part that was read is not enough */
  protected abstract resultAfter(failure: OutboundFailure): Result;

  /** Replaces the time limit, from now on. */
  protected limitTime(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stop('timeout'), milliseconds);
  }

  /** Settles the result and closes the connection. */
  protected stop(reason: OutboundFailure): void {
    this.settle(reason);
    this.request?.abort(new Error(`The request was ended: ${reason}.`));
  }

  protected settle(failure: OutboundFailure): void {
    if (!this.isSettled) {
      this.isSettled = true;
      clearTimeout(this.timer);
      this.signal.removeEventListener('abort', this.onAbort);
      this.resolve(this.resultAfter(failure));
    }
  }
}
