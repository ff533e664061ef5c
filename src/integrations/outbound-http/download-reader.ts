import type { Dispatcher } from '../../common/undici';
import type { OutboundFailure } from './outbound-failure';
import { type ResponseHeaders, ResponseReader } from './response-reader';

/** The complete response of a target. It is untrusted. */
export interface Download {
  status: number;
  /** The header Content-Type, unchanged. */
  contentType: string | null;
  /** The header Date, unchanged. */
  date: string | null;
  /** Empty unless the status is a success (2xx), or the caller also requested the body of failures. */
  body: Buffer;
}

export type DownloadFailure = OutboundFailure | 'too_large';

export type DownloadStep = { download: Download } | { redirect: string } | { failure: DownloadFailure };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Reads a whole body, unless it is too large. */
export class DownloadReader extends ResponseReader<DownloadStep> {
  private step: DownloadStep | undefined;
  private head: Omit<Download, 'body'> | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    signal: AbortSignal,
    timeoutMilliseconds: number,
    private readonly limitBytes: number,
    private readonly readsFailures: boolean,
    resolve: (result: DownloadStep) => void,
  ) {
    super(signal, timeoutMilliseconds, resolve);
  }

  onResponseStart(_request: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) {
      return;
    }
    const header = (name: string): string | null => [headers[name]].flat()[0] ?? null;
    this.head = { status, contentType: header('content-type'), date: header('date') };
    const location = header('location');
    if (REDIRECTS.has(status) && location !== null) {
      this.end({ redirect: location });
    } else if (status >= 300 && !this.readsFailures) {
      this.end({ download: { ...this.head, body: Buffer.alloc(0) } });
    } else if (Number(header('content-length')) > this.limitBytes) {
      this.end({ failure: 'too_large' });
    } else if (/^(?!identity$)./i.test(header('content-encoding') ?? '')) {
      // No compression was requested, and the decompressed body could grow without limit.
      this.end({ failure: 'invalid_response' });
    }
  }

  onResponseData(_request: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length > this.limitBytes) {
      this.end({ failure: 'too_large' });
    }
  }

  onResponseEnd(): void {
    if (this.head) {
      this.step ??= { download: { ...this.head, body: Buffer.concat(this.chunks) } };
    }
    this.settle('connection_closed');
  }

  protected resultAfter(failure: OutboundFailure): DownloadStep {
    return this.step ?? { failure };
  }

  /** Ends the reading early. */
  private end(step: DownloadStep): void {
    this.step ??= step;
    this.stop('connection_closed');
  }
}
