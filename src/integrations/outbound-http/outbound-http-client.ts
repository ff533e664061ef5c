import { isIPv4, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, Pool } from '../../common/undici';
import { ForbiddenTargetError, type TargetGuard } from './target-guard';

const CONNECTION_FAILED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|ETIMEDOUT)$/;
const CONNECTION_CLOSED = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;
const TLS_FAILED = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;
const INVALID_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE|UND_ERR_INVALID)/;

/** How much of a body is read, in bytes. */
const BODY_LIMIT = 1_024;

/** How long a body may take once the status is known. The status decides; the body only helps to find a fault. */
const BODY_MILLISECONDS = 1_000;

/** Unused connections are closed soon: there may be one for each of thousands of targets. */
const KEEP_ALIVE_MILLISECONDS = 4_000;

const HEADER_LIMIT = 16_384;

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
  async post(request: OutboundRequest): Promise<OutboundResult> {
    const abort = new AbortController();
    const onAbort = (): void => abort.abort('aborted');
    request.signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => abort.abort('timeout'), this.timeoutMilliseconds);
    try {
      if (request.signal.aborted) {
        return { failure: 'aborted' };
      }
      // A literal address or a reused connection needs no look-up, so the URL is checked before each request.
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

/**
 * Reads the first bytes, and closes the connection if there are more. When a body fails in the middle, the received
 * part counts.
 */
async function beginningOf(stream: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The client's own limit starts again with every byte, so a slow body would never reach it.
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
    // The status has arrived, and only the status counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, BODY_LIMIT).toString('utf8').replaceAll('\0', '');
}

/**
 * The meaning of an error of the HTTP client. Its text is not passed on, because it may reveal facts about the inner
 * network.
 */
function outboundFailure(error: unknown): OutboundFailure {
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
