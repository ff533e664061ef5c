import type { Readable } from 'node:stream';
import type { OnApplicationShutdown } from '@nestjs/common';
import { guardedLookup } from '../../common/network/guarded-lookup';
import { Agent, type Dispatcher, Pool } from '../../common/undici';
import { AnswerReader, BODY_MILLISECONDS, type OutboundResult } from './answer-reader';
import { type Download, type DownloadFailure, DownloadReader, type DownloadStep } from './download-reader';
import { type OutboundFailure, outboundFailure } from './outbound-failure';
import { type TargetGuard } from './target-guard';

/** Unused connections are closed soon: there may be one for each of thousands of targets. */
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
  /** What is posted; without it the request is a GET. A redirect of a post is not followed. */
  posted?: string;
  /** Whether the body is read of an answer that tells of a failure. */
  readsFailures?: boolean;
  /** Longest body, in bytes. */
  limitBytes: number;
  /** For everything together, with redirects. */
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

/** What a target answers, as it comes. It cannot be trusted: whoever reads `body` limits it. */
export interface OpenAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** `url`: where it was found after redirects. */
export type DownloadResult = { download: Download; url: URL } | { failure: DownloadFailure };

/**
 * Posts to targets that users chose, and downloads from them. Connections go only to addresses that `TargetGuard` has
 * checked, and a target can take up neither time nor memory beyond the limits.
 */
export class OutboundHttpClient implements OnApplicationShutdown {
  private readonly agent: Agent;

  /** @param timeoutMilliseconds for name, connection, request and status together */
  constructor(
    private readonly guard: TargetGuard,
    readonly timeoutMilliseconds = 15_000,
  ) {
    this.agent = new Agent({
      factory: (origin, options) => this.connectionsTo(new URL(origin), options),
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

  /** Follows three redirects at most, each to a target that is checked like the first. Never rejects. */
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
   * Gives the answer as soon as its head is there. Follows no redirect, and has no time limit but the signal.
   *
   * @throws ForbiddenTargetError before there is a connection; what the connection fails with
   */
  async open({ url, method, headers, body, signal }: OpenRequest): Promise<OpenAnswer> {
    this.guard.checkUrl(url);
    const request = { ...targetOf(url), method, headers, body, signal, headersTimeout: 0, bodyTimeout: 0 };
    const { statusCode, headers: answered, body: stream } = await this.agent.request(request);
    return { status: statusCode, headers: answered, body: stream };
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
      // The reader's limit is for the whole body.
      const body = posted === undefined ? {} : { body: posted };
      const method = posted === undefined ? 'GET' : 'POST';
      this.agent.dispatch({ ...targetOf(url), method, headers, ...body, bodyTimeout: 0 }, reader);
    });
  }

  /** A literal address or a reused connection needs no look-up, so the URL is checked before each request. */
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

  private connectionsTo(origin: URL, options: object): Dispatcher {
    const lookup = guardedLookup(() => this.guard.addressesOf(origin));
    return new Pool(origin, { ...options, connect: { lookup } });
  }
}

function targetOf(url: URL): { origin: string; path: string } {
  return { origin: url.origin, path: url.pathname + url.search };
}
