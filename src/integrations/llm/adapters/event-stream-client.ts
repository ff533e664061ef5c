import type { Readable } from 'node:stream';
import { Pool } from '../../../common/undici';
import type { RequestNeeds } from '../port/request-features';
import type { ProviderTargets } from '../providers/provider-targets';
import { type EventStreamReader, EventStreamResponse } from './event-stream-response';
import type { JsonObject } from './json-object';
import { withRefusal } from './refusals/refusal';

/** Most connections to one provider. Each open reply needs one, so this also limits the concurrent replies. */
const MAXIMUM_CONNECTIONS = 8_192;
const CONNECT_MILLISECONDS = 10_000;

/** A provider's address, and the headers of requests to it. */
export interface ProviderAccess {
  address: URL;
  headers: Record<string, string>;
  /** The service's key, which must not reach the log, even if the provider repeats it. */
  key: string | null;
}

const TEXT_ALONE: RequestNeeds = { features: [], namesStrictness: false };

/** Posts to one provider and reads its event streams over kept-alive connections. It follows no redirect. */
export class EventStreamClient {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly headers: Record<string, string>;
  private readonly key: string | null;
  /** Why this address is never called. */
  private readonly refusal: Error | null;

  constructor({ address, headers, key }: ProviderAccess, targets: ProviderTargets) {
    this.headers = headers;
    this.key = key;
    this.refusal = targets.refusalOf(address);
    this.path = address.pathname + address.search;
    // LanguageModels has the time limits. Those of undici would be two more timers for each response.
    this.pool = new Pool(address.origin, {
      connections: MAXIMUM_CONNECTIONS,
      connectTimeout: CONNECT_MILLISECONDS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: targets.lookupFor(address) },
    });
  }

  /**
   * Resolves when `reader` is complete.
   *
   * @param needs features of the body other than text, which the provider may refuse
   * @param traceparent the header of that name; absent: none
   * @throws ModelProviderError, with `refusedParameter` if the provider refuses a parameter of the body;
   * FeatureNotSupportedError if it refuses one of `needs`; GenerationAbortedError immediately when `signal` aborts
   */
  async post(
    body: JsonObject,
    reader: EventStreamReader,
    signal: AbortSignal,
    { features, namesStrictness }: RequestNeeds = TEXT_ALONE,
    traceparent?: string,
  ): Promise<void> {
    const parameters = { ...parametersOf(body), ...(namesStrictness && { strict: true }) };
    const response = new EventStreamResponse(reader, this.key);
    const onAbort = (): void => response.abort();
    if (signal.aborted) {
      response.abort();
    } else if (this.refusal !== null) {
      response.onResponseError(null, this.refusal);
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
      this.send(JSON.stringify(body), response, traceparent);
    }
    try {
      await response.finished;
    } catch (error) {
      throw withRefusal(error, parameters, features);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Not a part of `post`, whose variables stay in memory while it waits. */
  private send(text: string, response: EventStreamResponse, traceparent: string | undefined): void {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      accept: 'text/event-stream',
      // Decompressing tokens one by one costs more than their bytes.
      'accept-encoding': 'identity',
      ...(traceparent !== undefined && { traceparent }),
      ...this.headers,
    };
    this.pool.dispatch({ method: 'POST', path: this.path, headers, body: streamOnce(text) }, response);
  }

  /** Accepts no new requests. Resolves when the running ones have ended. */
  async retire(): Promise<void> {
    await this.pool.close();
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

/**
 * The body as a stream, which undici releases once it is sent. It would hold a text, or bytes, until the response ends,
 * and thousands of open replies have long histories. undici documents such bodies, but its types lack them.
 */
function streamOnce(text: string): Readable {
  const texts = [text];
  const parts = (function* () {
    yield texts.pop();
  })();
  return parts as Iterable<string | undefined> as unknown as Readable;
}

/** Fields that are never left out after a refusal, because the reply would no longer match the request. */
const CONTENT = ['model', 'messages', 'system', 'stream', 'tools', 'tool_choice', 'response_format', 'output_config'];

/**
 * The small part of a body that is kept while the reply runs. Thousands of open replies must not hold their histories.
 */
function parametersOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !CONTENT.includes(name)));
}

/**
 * `baseUrl` with `route` at the end of its path, unless it is there already. A query remains (Azure's `api-version`).
 */
export function routeAddress(baseUrl: string, route: string): URL {
  const address = new URL(baseUrl);
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith(route) ? path : path + route;
  return address;
}
