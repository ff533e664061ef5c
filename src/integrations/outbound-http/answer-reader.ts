import type { Dispatcher } from '../../common/undici';
import type { OutboundFailure } from './outbound-failure';
import { type ResponseHeaders, ResponseReader } from './response-reader';

/** How much of a body is read, in bytes. */
const BODY_LIMIT = 1_024;

/** How long a body may take once the status is known. The status decides; the body only helps to find a fault. */
export const BODY_MILLISECONDS = 1_000;

/** The part of a target's response that was read. It is untrusted. */
export interface OutboundAnswer {
  status: number;
  /** The header Retry-After, unchanged. */
  retryAfter: string | null;
  /** The beginning of the body, as text. */
  body: string;
}

export type OutboundResult = { answer: OutboundAnswer } | { failure: OutboundFailure };

/**
 * Reads the response to a POST. Once the status has arrived, only the status counts: if the body fails midway, the
 * received part is kept.
 */
export class AnswerReader extends ResponseReader<OutboundResult> {
  private answer: Omit<OutboundAnswer, 'body'> | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;

  onResponseStart(_request: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // 1xx is followed by another response.
    if (status >= 200) {
      const retryAfter = headers['retry-after'];
      this.answer = { status, retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null };
      // The client's own limit restarts with every byte, so a slow body would never reach it.
      this.limitTime(BODY_MILLISECONDS);
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

  protected resultAfter(failure: OutboundFailure): OutboundResult {
    return this.answer ? { answer: { ...this.answer, body: this.body() } } : { failure };
  }

  private body(): string {
    return Buffer.concat(this.chunks).subarray(0, BODY_LIMIT).toString('utf8').replaceAll('\0', '');
  }
}
