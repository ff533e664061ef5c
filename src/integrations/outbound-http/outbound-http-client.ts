import type { Readable } from 'node:stream';
import type { OnApplicationShutdown } from '@nestjs/common';
import { guardedLookup } from '../../common/network/guarded-lookup';
import { Agent, type Dispatcher, Pool } from '../../common/undici';
import { AnswerReader, BODY_MILLISECONDS, type OutboundResult } from './answer-reader';
import { type Download, type DownloadFailure, DownloadReader, type DownloadStep } from './download-reader';
import { type OutboundFailure, outboundFailure } from './outbound-failure';
import { type TargetGuard } from './target-guard';

/** Unused connections are closed soon, because there may be one for each of thousands of targets. */
const KEEP_ALIVE_MILLISECONDS = 4_000;

const HEADER_LIMIT = 16_384;

const MOST_REDIRECTS = 3;

export interface OutboundRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** Ends the request early, e.g. because the process stops. */
  signal: AbortSignal;
}

export interface DownloadRequest {
  url: URL;
  headers: Record<string, string>;
  /** The body of a POST; without it the request is a GET. Redirects of a POST are not followed. */
  posted?: string;
  /** Whether the body of a failure is read too. */
  readsFailures?: boolean;
  /** Longest body, in bytes. */
  limitBytes: number;
  /** Time limit of the whole download, including redirects. */
  timeoutMilliseconds: number;
  signal: AbortSignal;
}

export interface OpenRequest {
  url: URL;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

/** A target's response as a stream. It is untrusted: the reader of `body` must limit it. */
export interface OpenAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** `url`: the final address after redirects. */
export type DownloadResult = { download: Download; url: URL } | { failure: DownloadFailure };

/**
 * Posts to targets that users chose, and downloads from them. Connections go only to addresses that `TargetGuard` has
 * checked, and a target cannot use more time or memory than the limits allow.
 */
export class OutboundHttpClient implements OnApplicationShutdown {
  private readonly agent: Agent;

  /** @param timeoutMilliseconds for name, connection, request and status together */
  constructor(
    private readonly guard: TargetGuard,
    readonly timeoutMilliseconds = 15_000,
  ) {
    this.agent = new Agent({
      factory: (origin, options) => this.openPool(new URL(origin), options),
      connectTimeout: timeoutMilliseconds,
      // The limit for the whole request covers this too.
      headersTimeout: 0,
      bodyTimeout: BODY_MILLISECONDS,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      keepAliveMaxTimeout: KEEP_ALIVE_MILLISECONDS,
      maxHeaderSize: HEADER_LIMIT,
    });
  }

  /** Does not follow redirects. Never rejects: every failure of the target is a result. */
  async post({ url, headers, body, signal }: OutboundRequest): Promise<OutboundResult> {
    const refused = this.refusal(url, signal);
    if (refused) {
      return refused;
    }
    return new Promise((resolve) => {
      const reader = new AnswerReader(signal, this.timeoutMilliseconds, resolve);
      this.agent.dispatch({ ...targetOf(url), method: 'POST', headers, body }, reader);
    });
  }

  /** Follows at most three redirects, each to a target that is checked like the first. Never rejects. */
  async download(request: DownloadRequest): Promise<DownloadResult> {
    const end = performance.now() + request.timeoutMilliseconds;
    let { url } = request;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const step = await this.downloadStep({ ...request, url, timeoutMilliseconds: end - performance.now() });
      if (!('redirect' in step)) {
        return 'download' in step ? { ...step, url } : step;
      }
      if (request.posted !== undefined || !URL.canParse(step.redirect, url.href)) {
        return { failure: 'invalid_response' };
      }
      url = new URL(step.redirect, url);
    }
    return { failure: 'invalid_response' };
  }

  /**
   * Resolves with the response as soon as its head has arrived. Follows no redirects, and has no time limit except the
   * signal.
   *
   * @throws ForbiddenTargetError before a connection is opened; the error of the connection
   */
  async open({ url, method, headers, body, signal }: OpenRequest): Promise<OpenAnswer> {
    this.guard.checkUrl(url);
    const request = { ...targetOf(url), method, headers, body, signal, headersTimeout: 0, bodyTimeout: 0 };
    const { statusCode, headers: answered, body: stream } = await this.agent.request(request);
    return { status: statusCode, headers: answered, body: stream };
  }

  /** Ends connections as soon as their running requests have ended. The client must not be used again. */
  retire(): void {
    void this.agent.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private async downloadStep(request: DownloadRequest): Promise<DownloadStep> {
    const { url, headers, posted, limitBytes, readsFailures = false, timeoutMilliseconds, signal } = request;
    const refused = this.refusal(url, signal);
    if (refused) {
      return refused;
    }
    return new Promise((resolve) => {
      const reader = new DownloadReader(signal, timeoutMilliseconds, limitBytes, readsFailures, resolve);
      // The reader limits the time of the whole body.
      const body = posted === undefined ? {} : { body: posted };
      const method = posted === undefined ? 'GET' : 'POST';
      this.agent.dispatch({ ...targetOf(url), method, headers, ...body, bodyTimeout: 0 }, reader);
    });
  }

  /** A literal address or a reused connection needs no lookup, so the URL is checked before each request. */
  private refusal(url: URL, signal: AbortSignal): { failure: OutboundFailure } | null {
    if (signal.aborted) {
      return { failure: 'aborted' };
    }
    try {
      this.guard.checkUrl(url);
      return null;
    } catch (error) {
      return { failure: outboundFailure(error) };
    }
  }

  private openPool(origin: URL, options: object): Dispatcher {
    const lookup = guardedLookup(() => this.guard.addressesOf(origin));
    return new Pool(origin, { ...options, connect: { lookup } });
  }
}

function targetOf(url: URL): { origin: string; path: string } {
  return { origin: url.origin, path: url.pathname + url.search };
}
