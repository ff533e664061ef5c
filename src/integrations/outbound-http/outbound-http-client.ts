import { isIPv4, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, Pool } from 'undici';
import type { OutboundAnswer, OutboundResult } from './outbound-result';
import { outboundFailure } from './outbound-result';
import { ForbiddenTargetError } from './target-guard';
import { type TargetGuard } from './target-guard';

/** How much of a body is read, in bytes. */
const BODY_LIMIT = 1_024;

/** How long a body may take once the status is known: the status decides, the body only helps whoever debugs. */
const BODY_MILLISECONDS = 1_000;

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
 * Posts to targets that users chose. The connection goes to an address that `TargetGuard` has seen, redirects are not
 * followed, and a target can hold neither time nor memory beyond the limits.
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
      // The time for all of it ends this too.
      headersTimeout: 0,
      bodyTimeout: BODY_MILLISECONDS,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      keepAliveMaxTimeout: KEEP_ALIVE_MILLISECONDS,
      maxHeaderSize: HEADER_LIMIT,
    });
  }

  /** Never rejects: every failure of the target is a result. */
  async post(request: OutboundRequest): Promise<OutboundResult> {
    const abort = new AbortController();
    const onAbort = (): void => abort.abort('aborted');
    request.signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => abort.abort('timeout'), this.timeoutMilliseconds);
    try {
      if (request.signal.aborted) {
        return { failure: 'aborted' };
      }
      // Literal addresses are never looked up, and connections are reused: the URL is judged at every attempt.
      this.guard.checkUrl(request.url);
      return { answer: await this.exchange(request, abort.signal) };
    } catch (error) {
      return {
        failure: abort.signal.aborted ? (abort.signal.reason as 'aborted' | 'timeout') : outboundFailure(error),
      };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private async exchange({ url, headers, body }: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    const response = await this.agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      signal,
    });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
      body: await beginningOf(response.body),
    };
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

/** Reads the first bytes and cuts the connection if there are more; a body that fails halfway is what has come of it. */
async function beginningOf(stream: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Trickling bytes keep the client's own limit from ever being reached.
  const timer = setTimeout(() => stream.destroy(), BODY_MILLISECONDS);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= BODY_LIMIT) {
        break;
      }
    }
  } catch {
    // The status has come and counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, BODY_LIMIT).toString('utf8').replaceAll('\0', '');
}
