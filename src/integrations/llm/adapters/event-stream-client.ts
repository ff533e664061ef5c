import type { Readable } from 'node:stream';
import { Pool } from '../../../common/undici';
import { ProviderError } from '../llm.errors';
import { type EventStreamReader, EventStreamResponse } from './event-stream-response';
import type { JsonObject } from './json-object';
import { ProviderAnswerError } from './refusals/provider-failure';
import { refusedParameter } from './refusals/refused-parameter';

/** Most connections to one provider. Each open reply needs one, so this is also the most replies at once. */
const MAXIMUM_CONNECTIONS = 8_192;
const CONNECT_MILLISECONDS = 10_000;

/** Posts to one provider and reads its event streams over kept-alive connections. It follows no redirect. */
export class EventStreamClient {
  private readonly pool: Pool;
  private readonly path: string;

  constructor(
    address: URL,
    private readonly headers: Record<string, string>,
    private readonly key: string | null,
  ) {
    this.path = address.pathname + address.search;
    // LanguageModels has the time limits; those of undici would be two more timers for each answer.
    this.pool = new Pool(address.origin, {
      connections: MAXIMUM_CONNECTIONS,
      connectTimeout: CONNECT_MILLISECONDS,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Resolves when `reader` is complete.
   *
   * @throws ModelProviderError, with `refusedParameter` where the provider refuses one of the body; or GenerationAbortedError at once when `signal` aborts.
   */
  async post(body: JsonObject, reader: EventStreamReader, signal: AbortSignal): Promise<void> {
    const parameters = parametersOf(body);
    const response = new EventStreamResponse(reader, this.key);
    const onAbort = (): void => response.abort();
    if (signal.aborted) {
      response.abort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
      this.send(JSON.stringify(body), response);
    }
    try {
      await response.finished;
    } catch (error) {
      throw withRefusedParameter(error, parameters);
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

/** The small part of a body that is kept while the reply runs: thousands of open replies must not hold their histories. */
function parametersOf(body: JsonObject): JsonObject {
  const { model: _model, messages: _messages, system: _system, stream: _stream, ...parameters } = body;
  return parameters;
}

function withRefusedParameter(error: unknown, parameters: JsonObject): unknown {
  if (!(error instanceof ProviderError) || !(error.cause instanceof ProviderAnswerError)) {
    return error;
  }
  const refused = refusedParameter(error.cause.answer, parameters);
  return refused === null ? error : new ProviderError(error.details, { ...error.options, refusedParameter: refused });
}

/** `baseUrl` with `route` at the end of its path, if it is not there already. A query stays (Azure's `api-version`). */
export function routeAddress(baseUrl: string, route: string): URL {
  const address = new URL(baseUrl);
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith(route) ? path : path + route;
  return address;
}
