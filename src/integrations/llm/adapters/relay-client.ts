import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Pool } from '../../../common/undici';
import { type ModelProviderError, ProviderError } from '../port/llm.errors';
import { ProviderRefusalError } from '../port/provider-refusal';
import type { RelayedAnswer, RelayRequest } from '../port/relay';
import type { ProviderTargets } from '../providers/provider-targets';
import { LONGEST_FAILURE_TEXT } from './answer-text';
import { routeAddress } from './event-stream-client';
import { isObject } from './json-object';
import { maskKeys } from './refusals/provider-answer';
import { failureForAnswer, failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';

const MAXIMUM_CONNECTIONS = 8_192;
const CONNECT_MILLISECONDS = 10_000;
/** How long the service waits for the text of a failure. */
const FAILURE_TEXT_MILLISECONDS = 1_000;

/** Statuses whose text clients parse for their recovery. */
const RELAYED_STATUSES = new Set([400, 404, 409, 413, 422]);

/** Headers of a refusal by which clients decide whether and when to retry. */
const RELAYED_HEADERS = ['x-should-retry', 'retry-after'];

/** Relays requests to a provider byte for byte. It follows no redirect. */
export class RelayClient {
  private readonly pool: Pool;
  private readonly refusal: Error | null;

  /** @param access the base address without `/v1`, and the headers with the service's own credential */
  constructor(
    private readonly access: { baseUrl: string; headers: Record<string, string>; key: string },
    targets: ProviderTargets,
  ) {
    const address = new URL(access.baseUrl);
    this.refusal = targets.refusalOf(address);
    // The callers have the time limits.
    this.pool = new Pool(address.origin, {
      connections: MAXIMUM_CONNECTIONS,
      connectTimeout: CONNECT_MILLISECONDS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: targets.lookupFor(address) },
    });
  }

  /**
   * Resolves with the head of a successful response.
   *
   * @throws ModelProviderError; ProviderRefusalError if the provider refuses the request in its own format
   */
  async send({ route, query, headers, body }: RelayRequest, signal: AbortSignal): Promise<RelayedAnswer> {
    if (this.refusal !== null) {
      throw failureForConnection(this.refusal, false);
    }
    const answer = await this.pool
      .request({
        method: 'POST',
        path: routeAddress(this.access.baseUrl, route).pathname + query,
        headers: {
          ...headers,
          ...this.access.headers,
          'content-length': String(body.length),
          'accept-encoding': 'identity',
        },
        body: bytesOnce(body),
        signal,
      })
      .catch((error: unknown) => {
        throw failureForConnection(error, false);
      });
    if (answer.statusCode !== 200) {
      throw await this.failureOf(answer.statusCode, answer.headers, answer.body);
    }
    return toAnswer(answer.headers, answer.body);
  }

  async retire(): Promise<void> {
    await this.pool.close();
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async failureOf(status: number, headers: IncomingHttpHeaders, body: Readable): Promise<ModelProviderError> {
    const text = await startOf(body);
    const failure = failureForStatus(status, text, headers['retry-after']);
    withoutKeys(failure, this.access.key);
    const refusal = RELAYED_STATUSES.has(status) ? this.refusalIn(text) : null;
    if (refusal === null) {
      return asProviderError(failure);
    }
    const relayed = RELAYED_HEADERS.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    return new ProviderRefusalError(refusal, Object.fromEntries(relayed), failure.options);
  }

  /** The error in Anthropic's format, without keys. Null: the text has another format. */
  private refusalIn(text: string): ProviderRefusalError['refusal'] | null {
    try {
      const { error } = JSON.parse(maskKeys(text, this.access.key)) as { error?: unknown };
      if (!isObject(error) || typeof error.type !== 'string' || typeof error.message !== 'string') {
        return null;
      }
      const { type, message, details } = error;
      return { type, message, ...(isObject(details) && { details }) };
    } catch {
      return null;
    }
  }
}

/** A refusal that has no text for the client is a fault of the provider, whatever its subject is. */
function asProviderError(failure: ModelProviderError): ModelProviderError {
  return failure.status >= 500 ? failure : new ProviderError({}, failure.options);
}

/** The body as a stream, which undici releases once it is sent. Thousands of open replies have long histories. */
function bytesOnce(body: Buffer): Readable {
  const bodies = [body];
  const parts = (function* () {
    yield bodies.pop();
  })();
  return parts as Iterable<Buffer | undefined> as unknown as Readable;
}

function toAnswer(headers: IncomingHttpHeaders, body: Readable): RelayedAnswer {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    body.destroy();
    throw failureForAnswer(`The answer is encoded as ${encoding}.`);
  }
  const contentType = headers['content-type'] ?? null;
  const requestId = headers['request-id'];
  return {
    contentType,
    requestId: typeof requestId === 'string' ? requestId : null,
    isStream: contentType?.startsWith('text/event-stream') ?? false,
    parts: partsOf(body),
  };
}

async function* partsOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw failureForConnection(error, true);
  }
}

/** The start of a failure's text. */
async function startOf(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), FAILURE_TEXT_MILLISECONDS);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > LONGEST_FAILURE_TEXT) {
        break;
      }
    }
  } catch {
    // The status says more than the broken connection.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts).toString('utf8');
}
