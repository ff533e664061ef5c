import type { Readable } from 'node:stream';
import { Pool } from '../../../common/undici';
import type { RequestNeeds } from '../port/request-features';
import type { ProviderTargets } from '../providers/provider-targets';
import { type EventStreamReader, EventStreamResponse } from './event-stream-response';
import type { JsonObject } from './json-object';
import { withRefusal } from './refusals/refusal';

/** Most connections to one provider. Each open reply needs one, so this is also the most replies at once. */
const MAXIMUM_CONNECTIONS = 8_192;
const CONNECT_MILLISECONDS = 10_000;

/** An address of a provider, and what requests to it carry. */
export interface ProviderAccess {
  address: URL;
  headers: Record<string, string>;
  /** Our key: it must not reach the log, even if the provider repeats it. */
  key: string | null;
}

const TEXT_ALONE: RequestNeeds = { features: [], namesStrictness: false };

/** Posts to one provider and reads its event streams over kept-alive connections. It follows no redirect. */
export class EventStreamClient {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly headers: Record<string, string>;
  private readonly key: string | null;
  /** Why this address is never asked. */
  private readonly refusal: Error | null;

  constructor({ address, headers, key }: ProviderAccess, targets: ProviderTargets) {
    this.headers = headers;
    this.key = key;
    this.refusal = targets.refusalOf(address);
    this.path = address.pathname + address.search;
    // LanguageModels has the time limits; those of undici would be two more timers for each answer.
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
   * @param needs what the body asks more than text: the provider may refuse it
   * @throws ModelProviderError, with `refusedParameter` where the provider refuses one of the body; FeatureNotSupportedError
   * where it refuses one of `needs`; GenerationAbortedError at once when `signal` aborts.
   */
  async post(
    body: JsonObject,
    reader: EventStreamReader,
    signal: AbortSignal,
    { features, namesStrictness }: RequestNeeds = TEXT_ALONE,
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
      this.send(JSON.stringify(body), response);
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
  private send(text: string, response: EventStreamResponse): void {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      accept: 'text/event-stream',
      // Unpacking tokens one by one costs more than their bytes do.
      'accept-encoding': 'identity',
      ...this.headers,
    };
    this.pool.dispatch({ method: 'POST', path: this.path, headers, body: givenOnce(text) }, response);
  }

  /** Accepts no new request; resolves when the running ones have ended. */
  async retire(): Promise<void> {
    await this.pool.close();
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

/**
 * The body as undici lets go of it: it would hold a text, or bytes, until the answer ends, and thousands of open replies have
 * long histories. Its documentation knows such bodies, its types do not.
 */
function givenOnce(text: string): Readable {
  const texts = [text];
  const parts = (function* () {
    yield texts.pop();
  })();
  return parts as Iterable<string | undefined> as unknown as Readable;
}

/** Fields that are never left out after a refusal: the reply would be another one than asked for. */
const CONTENT = ['model', 'messages', 'system', 'stream', 'tools', 'tool_choice', 'response_format', 'output_config'];

/** The small part of a body that is kept while the reply runs: thousands of open replies must not hold their histories. */
function parametersOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !CONTENT.includes(name)));
}

/** `baseUrl` with `route` at the end of its path, if it is not there already. A query stays (Azure's `api-version`). */
export function routeAddress(baseUrl: string, route: string): URL {
  const address = new URL(baseUrl);
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith(route) ? path : path + route;
  return address;
}
