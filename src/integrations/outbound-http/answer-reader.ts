import type { Dispatcher } from '../../common/undici';
import { ForbiddenTargetError } from './target-guard';

const CONNECTION_FAILED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|ETIMEDOUT)$/;
const CONNECTION_CLOSED = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;
const TLS_FAILED = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;
const INVALID_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE|UND_ERR_INVALID)/;

/** How much of a body is read, in bytes. */
const BODY_LIMIT = 1_024;

/** How long a body may take once the status is known. The status decides; the body only helps to find a fault. */
export const BODY_MILLISECONDS = 1_000;

/** The part of a target's answer that was read. It cannot be trusted. */
export interface OutboundAnswer {
  status: number;
  /** The header Retry-After, unchanged. */
  retryAfter: string | null;
  /** The beginning of the body, as text. */
  body: string;
}

/** Why there is no answer. It may be shown to the user who chose the target. */
export type OutboundFailure =
  | 'timeout'
  | 'forbidden_target'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'connection_closed'
  | 'tls_failed'
  | 'invalid_response'
  | 'aborted';

export type OutboundResult = { answer: OutboundAnswer } | { failure: OutboundFailure };

/** Reads the answer to one request, and says once how the request ended. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  private request: Dispatcher.DispatchController | undefined;
  private answer: Omit<OutboundAnswer, 'body'> | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private isSettled = false;
  private timer: NodeJS.Timeout;
  private readonly onAbort = (): void => this.stop('aborted');

  /**
   * @param signal ends the request early
   * @param timeoutMilliseconds until the status
   */
  constructor(
    private readonly signal: AbortSignal,
    timeoutMilliseconds: number,
    private readonly resolve: (result: OutboundResult) => void,
  ) {
    this.timer = setTimeout(() => this.stop('timeout'), timeoutMilliseconds);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(request: Dispatcher.DispatchController): void {
    this.request = request;
    if (this.isSettled) {
      request.abort(new Error('The request ended before it began.'));
    }
  }

  onResponseStart(
    _request: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx announces another answer.
    if (status >= 200) {
      const retryAfter = headers['retry-after'];
      this.answer = { status, retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null };
      clearTimeout(this.timer);
      // The client's own limit starts again with every byte, so a slow body would never reach it.
      this.timer = setTimeout(() => this.stop('timeout'), BODY_MILLISECONDS);
    }
  }

  onResponseData(_request: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length >= BODY_LIMIT) {
      this.stop('connection_closed');
    }
  }

  onResponseEnd(): void {
    this.settle('connection_closed');
  }

  onResponseError(_request: Dispatcher.DispatchController, error: Error): void {
    this.settle(outboundFailure(error));
  }

  /** Closes the connection too. */
  private stop(reason: OutboundFailure): void {
    this.settle(reason);
    this.request?.abort(new Error(`The request was ended: ${reason}.`));
  }

  /** Once the status has arrived, only the status counts: of a body that fails in the middle the received part is kept. */
  private settle(failure: OutboundFailure): void {
    if (!this.isSettled) {
      this.isSettled = true;
      clearTimeout(this.timer);
      this.signal.removeEventListener('abort', this.onAbort);
      this.resolve(this.answer ? { answer: { ...this.answer, body: this.body() } } : { failure });
    }
  }

  private body(): string {
    return Buffer.concat(this.chunks).subarray(0, BODY_LIMIT).toString('utf8').replaceAll('\0', '');
  }
}

/**
 * The meaning of an error of the HTTP client. Its text is not passed on, because it may reveal facts about the inner
 * network.
 */
export function outboundFailure(error: unknown): OutboundFailure {
  if (error instanceof ForbiddenTargetError) {
    return error.reason === 'unresolved' ? 'name_not_resolved' : 'forbidden_target';
  }
  const { name, code } = error as { name?: unknown; code?: unknown };
  const text = typeof code === 'string' ? code : '';
  if (text === 'UND_ERR_CONNECT_TIMEOUT' || text === 'UND_ERR_HEADERS_TIMEOUT') {
    return 'timeout';
  }
  if (CONNECTION_CLOSED.test(text)) {
    return 'connection_closed';
  }
  if (TLS_FAILED.test(text)) {
    return 'tls_failed';
  }
  if (name === 'HTTPParserError' || INVALID_RESPONSE.test(text)) {
    return 'invalid_response';
  }
  return CONNECTION_FAILED.test(text) ? 'connection_failed' : 'connection_closed';
}
