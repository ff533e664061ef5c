import { type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SERVICE_VERSION } from '../../../common/service-version';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { OpenAnswer, OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { parseScopes } from '../servers/parse-scopes';
import type { Authorization } from './authorization';
import { McpFailure } from './mcp-failure';
import { McpNetwork } from './mcp-network';
import { loadMcpSdk } from './mcp-sdk';

/** The time limit for cancellations. */
const FAREWELL_MILLISECONDS = 2_000;

/**
 * How long requests wait for the response headers of the server's request stream. Some servers send these with their
 * first request.
 */
const LISTENING_MILLISECONDS = SECOND_MILLISECONDS;

/** The response headers that the SDK needs. */
const PASSED_HEADERS = ['content-type', 'mcp-session-id', 'www-authenticate', 'location', 'retry-after'];

/** Statuses without a body (Fetch section 2.2.3). */
const WITHOUT_BODY = [204, 205, 304];

/** The rules of one exchange with a server. */
export interface HttpRules {
  url: URL;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
  /** The byte limit of all responses together. */
  mostBytes: number;
  /** Ends all requests. */
  signal: AbortSignal;
  /**
   * Whether the server may send requests in a separate stream (protocol version 2025-11-25), which lasts as long as the
   * exchange.
   */
  isListening: boolean;
  /** Whether no administrator has added the server. It must then not be an internal host, even a listed one. */
  isForeign: boolean;
  /** Called when the server breaks a rule, and when a request cannot be sent, with the body of that request. */
  onFailure: (failure: Error, refused?: string) => void;
  /** The authorization of requests; null: the headers. */
  authorization: Authorization | null;
}

/**
 * Sends all requests to MCP servers. Responses may contain further URLs, so each URL is checked like that of a webhook,
 * and each connection uses only the checked addresses.
 */
@Injectable()
export class McpHttp {
  constructor(private readonly network: McpNetwork) {}

  /**
   * Checks the URL and the addresses of its host name.
   *
   * @throws ForbiddenTargetError
   */
  async check(url: URL): Promise<void> {
    await (await this.network.current()).any.guard.addressesOf(url);
  }

  /**
   * Checks the URL of a server that no administrator has added.
   *
   * @throws ForbiddenTargetError
   */
  async checkForeign(url: URL): Promise<void> {
    await (await this.network.current()).public.guard.addressesOf(url);
  }

  /** A `fetch` for the SDK, for one exchange. */
  fetchFor(rules: HttpRules): (address: string | URL, init?: RequestInit) => Promise<Response> {
    const budget = { left: rules.mostBytes };
    let listening: Promise<Response> | undefined;
    return async (address, { method, headers, body, signal } = {}) => {
      const url = new URL(address);
      if (url.origin !== rules.url.origin) {
        throw this.failed(rules, new McpFailure('forbidden'));
      }
      if (method === 'GET' && rules.isListening && listening === undefined) {
        const ended = AbortSignal.any([rules.signal, ...(signal ? [signal] : [])]);
        listening = this.listen(rules, { url, headers, signal: ended }, budget);
        return listening;
      }
      // Otherwise the server sends its requests in the response to a request; no stream is opened or resumed.
      if (method !== 'POST' && !(method === 'DELETE' && rules.isListening)) {
        return new Response(null, { status: 405 });
      }
      if (listening !== undefined) {
        await Promise.race([listening, delay(LISTENING_MILLISECONDS, undefined, { ref: false })]);
      }
      const sent = typeof body === 'string' ? body : null;
      const answer = await this.authorized(rules, sent, async (token) =>
        (await this.clientFor(rules)).open({
          url,
          method,
          headers: { ...sentHeaders(headers, rules.headers), ...token },
          body: sent,
          // Cancelling an exchange still sends the server a cancellation.
          signal: rules.signal.aborted ? AbortSignal.timeout(FAREWELL_MILLISECONDS) : rules.signal,
        }),
      );
      const passed = new Headers();
      for (const name of PASSED_HEADERS) {
        const [value] = [answer.headers[name]].flat();
        if (value !== undefined) passed.set(name, value);
      }
      const isEncoded = /^(?!identity$)./i.test([answer.headers['content-encoding']].flat()[0] ?? '');
      if (isEncoded || answer.status < 200) {
        answer.body.destroy();
        throw this.failed(rules, new McpFailure('invalid'));
      }
      if (WITHOUT_BODY.includes(answer.status)) {
        answer.body.resume();
        return new Response(null, { status: answer.status, headers: passed });
      }
      return streamed(this.limited(answer.body, budget, rules), { status: answer.status, headers: passed });
    };
  }

  private async clientFor({ isForeign }: HttpRules): Promise<OutboundHttpClient> {
    const { any, public: open } = await this.network.current();
    return (isForeign ? open : any).client;
  }

  /** Opens the stream for requests of the server. Without it, the exchange continues. */
  private async listen(
    rules: HttpRules,
    { url, headers, signal }: { url: URL; headers: RequestInit['headers']; signal: AbortSignal },
    budget: { left: number },
  ): Promise<Response> {
    try {
      const token = rules.authorization?.token();
      const sent = {
        ...sentHeaders(headers, rules.headers),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const {
        status,
        headers: answered,
        body,
      } = await (await this.clientFor(rules)).open({ url, method: 'GET', headers: sent, body: null, signal });
      if (status === 200 && /^text\/event-stream\b/i.test([answered['content-type']].flat()[0] ?? '')) {
        return streamed(this.limited(body, budget, rules), {
          status,
          headers: { 'content-type': 'text/event-stream' },
        });
      }
      body.on('error', () => undefined).destroy();
    } catch {
      // Most servers do not offer the stream.
    }
    return new Response(null, { status: 405 });
  }

  /** Repeats a request with another token if the server refused the first one, because nothing was executed. */
  private async authorized(
    rules: HttpRules,
    body: string | null,
    send: (token: { authorization?: string }) => Promise<OpenAnswer>,
  ): Promise<OpenAnswer> {
    const { authorization, onFailure } = rules;
    if (authorization === null) {
      return send({});
    }
    for (;;) {
      const token = authorization.token();
      const answer = await send({ authorization: `Bearer ${token}` });
      const challenge = challengeOf(answer);
      // A cancellation is not worth another token.
      if (challenge === null || rules.signal.aborted) {
        return answer;
      }
      answer.body.on('error', () => undefined).destroy();
      try {
        // A parallel request of the exchange may have got a new token, to which this refusal does not apply.
        if (authorization.token() !== token) continue;
        await (challenge.scopes === null ? authorization.renew() : authorization.widen(challenge.scopes));
      } catch (error) {
        onFailure(error as Error, body ?? undefined);
        throw error;
      }
    }
  }

  private async *limited(body: Readable, budget: { left: number }, rules: HttpRules): AsyncGenerator<Uint8Array> {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      budget.left -= chunk.length;
      if (budget.left < 0) {
        throw this.failed(rules, new McpFailure('too_large'));
      }
      yield chunk;
    }
  }

  private failed({ onFailure }: HttpRules, failure: McpFailure): McpFailure {
    onFailure(failure);
    return failure;
  }
}

/** The server's challenge for a refused token; null: the token is accepted; scopes: it lacks these scopes. */
function challengeOf({ status, headers }: OpenAnswer): { scopes: string[] | null } | null {
  if (status === 401) {
    return { scopes: null };
  }
  const [challenge] = [headers['www-authenticate']].flat();
  if (status !== 403 || challenge === undefined) {
    return null;
  }
  const answer = new Response(null, { status, headers: { 'www-authenticate': challenge } });
  const { error, scope = '' } = loadMcpSdk().extractWWWAuthenticateParams(answer);
  return error === 'insufficient_scope' ? { scopes: parseScopes(scope) } : null;
}

function streamed(chunks: AsyncGenerator<Uint8Array>, head: ResponseInit): Response {
  return new Response(ReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>, head);
}

/** The headers of the SDK and of the server's settings. Headers of this service's own clients are never forwarded. */
export function sentHeaders(
  ofSdk: RequestInit['headers'],
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers = new Headers(own);
  new Headers(ofSdk).forEach((value, name) => headers.set(name, value));
  headers.set('accept-encoding', 'identity');
  headers.set('user-agent', `chat-service-mcp/${SERVICE_VERSION}`);
  return Object.fromEntries(headers);
}
