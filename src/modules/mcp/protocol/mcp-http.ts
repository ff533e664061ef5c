import { type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { NameResolver } from '../../../common/network/name-resolver';
import { SERVICE_VERSION } from '../../../common/service-version';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { type OpenAnswer, OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { McpConfig } from '../mcp.config';
import { scopesIn } from '../servers/scopes-in';
import type { Authorization } from './authorization';
import { McpFailure } from './mcp-failure';
import { loadMcpSdk } from './mcp-sdk';

/** Time for the word that a call is not wanted any more. */
const FAREWELL_MILLISECONDS = 2_000;

/** How long requests wait for the head of the stream in which the server asks: some send it with the first question. */
const LISTENING_MILLISECONDS = SECOND_MILLISECONDS;

/** What of an answer the SDK needs. */
const PASSED_HEADERS = ['content-type', 'mcp-session-id', 'www-authenticate', 'location', 'retry-after'];

/** Statuses without a body (Fetch §2.2.3). */
const WITHOUT_BODY = [204, 205, 304];

/** What one exchange with a server may do. */
export interface HttpRules {
  url: URL;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
  /** Bytes of all answers together. */
  mostBytes: number;
  /** Ends everything. */
  signal: AbortSignal;
  /** Whether the server may ask in a stream beside its answers (2025-11-25), which lasts as long as the exchange. */
  isListening: boolean;
  /** Whether it is a server that nobody here has added: inner hosts are closed to it, listed or not. */
  isForeign: boolean;
  /** Called for each rule that the server breaks, and for what keeps a request from it: then with the body of that request. */
  onFailure: (failure: Error, refused?: string) => void;
  /** What requests are allowed by; null: by the headers. */
  authorization: Authorization | null;
}

/**
 * All requests to servers of tools. What they answer may name further addresses, so every one is checked like that of a webhook, and
 * each connection goes to the addresses that were checked.
 */
@Injectable()
export class McpHttp implements OnApplicationShutdown {
  private readonly guard: TargetGuard;
  private readonly client: OutboundHttpClient;
  private readonly foreignGuard: TargetGuard;
  private readonly foreignClient: OutboundHttpClient;

  constructor({ MCP_ALLOWED_HOSTS }: McpConfig, resolver: NameResolver) {
    const allowedHosts = new AllowedHosts(MCP_ALLOWED_HOSTS ?? []);
    this.guard = new TargetGuard({ isHttpsRequired: true, allowedHosts }, resolver);
    this.client = new OutboundHttpClient(this.guard);
    this.foreignGuard = new TargetGuard({ isHttpsRequired: true, allowedHosts: new AllowedHosts([]) }, resolver);
    this.foreignClient = new OutboundHttpClient(this.foreignGuard);
  }

  /** Checks the address and those of its name. @throws ForbiddenTargetError */
  async check(url: URL): Promise<void> {
    await this.guard.addressesOf(url);
  }

  /** The same for a server that nobody here has added. @throws ForbiddenTargetError */
  async checkForeign(url: URL): Promise<void> {
    await this.foreignGuard.addressesOf(url);
  }

  /** What the SDK takes in the place of `fetch`, for one exchange. */
  fetchFor(rules: HttpRules): (address: string | URL, init?: RequestInit) => Promise<Response> {
    const budget = { left: rules.mostBytes };
    const client = rules.isForeign ? this.foreignClient : this.client;
    let listening: Promise<Response> | undefined;
    return async (address, { method, headers, body, signal } = {}) => {
      const url = new URL(address);
      if (url.origin !== rules.url.origin) {
        throw this.failed(rules, new McpFailure('forbidden'));
      }
      if (method === 'GET' && rules.isListening && listening === undefined) {
        const ended = AbortSignal.any([rules.signal, ...(signal ? [signal] : [])]);
        listening = this.listen(rules, client, { url, headers, signal: ended }, budget);
        return listening;
      }
      // Else what a server has to say comes with the answer to a request: no stream is opened, and none resumed.
      if (method !== 'POST' && !(method === 'DELETE' && rules.isListening)) {
        return new Response(null, { status: 405 });
      }
      if (listening !== undefined) {
        await Promise.race([listening, delay(LISTENING_MILLISECONDS, undefined, { ref: false })]);
      }
      const sent = typeof body === 'string' ? body : null;
      const answer = await this.authorized(rules, sent, (token) =>
        client.open({
          url,
          method,
          headers: { ...sentHeaders(headers, rules.headers), ...token },
          body: sent,
          // Whoever ends an exchange still tells the server that nobody wants the result.
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

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client, this.foreignClient].map((client) => client.onApplicationShutdown()));
  }

  /** The stream in which the server asks. Without it the exchange goes on. */
  private async listen(
    rules: HttpRules,
    client: OutboundHttpClient,
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
      } = await client.open({ url, method: 'GET', headers: sent, body: null, signal });
      if (status === 200 && /^text\/event-stream\b/i.test([answered['content-type']].flat()[0] ?? '')) {
        return streamed(this.limited(body, budget, rules), {
          status,
          headers: { 'content-type': 'text/event-stream' },
        });
      }
      body.on('error', () => undefined).destroy();
    } catch {
      // Most servers have none.
    }
    return new Response(null, { status: 405 });
  }

  /** A request that the server refuses because of its token is sent once more with another one: nothing was done. */
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
      // A farewell is not worth another token.
      if (challenge === null || rules.signal.aborted) {
        return answer;
      }
      answer.body.on('error', () => undefined).destroy();
      try {
        // Another request of the exchange may have got a new one meanwhile, of which this refusal says nothing.
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

/** What the server says to a token that it does not take: null: it takes it; scopes: it must allow more. */
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
  return error === 'insufficient_scope' ? { scopes: scopesIn(scope) } : null;
}

function streamed(chunks: AsyncGenerator<Uint8Array>, head: ResponseInit): Response {
  return new Response(ReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>, head);
}

/** Headers of the SDK and of the server's settings; those of our own callers never come here. */
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
