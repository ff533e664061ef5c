import { isIPv4, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, Pool } from '../../common/undici';
import { AnswerReader, BODY_MILLISECONDS, outboundFailure, type OutboundResult } from './answer-reader';
import { ForbiddenTargetError, type TargetGuard } from './target-guard';

/** Unused connections are closed soon: there may be one for each of thousands of targets. */
const KEEP_ALIVE_MILLISECONDS = 4_000;

const HEADER_LIMIT = 16_384;

export interface OutboundRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** Ends the request early, e.g. because the process stops. */
  signal: AbortSignal;
}

/**
 * Posts to targets that users chose. Connections go only to addresses that `TargetGuard` has checked, redirects are not
 * followed, and a target can take up neither time nor memory beyond the limits.
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

  /** Never rejects: every failure of the target is a result. */
  async post({ url, headers, body, signal }: OutboundRequest): Promise<OutboundResult> {
    if (signal.aborted) {
      return { failure: 'aborted' };
    }
    try {
      // A literal address or a reused connection needs no look-up, so the URL is checked before each request.
      this.guard.checkUrl(url);
    } catch (error) {
      return { failure: outboundFailure(error) };
    }
    return new Promise((resolve) => {
      const request = { origin: url.origin, path: url.pathname + url.search, method: 'POST' as const, headers, body };
      this.agent.dispatch(request, new AnswerReader(signal, this.timeoutMilliseconds, resolve));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private connectionsTo(origin: URL, options: object): Dispatcher {
    const lookup: LookupFunction = (_hostname, { all }, callback) => {
      this.guard.addressesOf(origin).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
          const [first] = found;
          if (all) {
            callback(null, found);
          } else if (first) {
            callback(null, first.address, first.family);
          }
        },
        (error: unknown) => callback(error instanceof Error ? error : new ForbiddenTargetError('unresolved'), ''),
      );
    };
    return new Pool(origin, { ...options, connect: { lookup } });
  }
}
