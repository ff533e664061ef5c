import { randomUUID } from 'node:crypto';
import type { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, type TestAccount } from './accounts';
import { AdminClient } from './admin-client';
import { AnthropicUpstream } from './anthropic-upstream';
import { makeKey } from './api-keys';
import { type Answer, call, type CallOptions } from './http';
import type { TestApp } from './test-app';
import { made } from './use-app';

/** The body of every error of the Anthropic-compatible API. */
export interface AnthropicError {
  type: 'error';
  error: { type: string; message: string; details: Record<string, unknown> };
  request_id: string;
}

/** A provider with Anthropic's API, behind a service that has an alias for it. */
export interface AnthropicApi {
  upstream: AnthropicUpstream;
  admin: AdminClient;
  /** The name of the provider. */
  provider: string;
  /** A user with an API key. */
  newCaller(columns?: Partial<UserEntity>): Promise<AnthropicCaller>;
}

/** A user's requests with an API key. */
export class AnthropicCaller {
  constructor(
    readonly base: string,
    readonly account: TestAccount,
    readonly key: string,
    readonly keyId = 0,
  ) {}

  send<Body = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Body>> {
    const headers = { 'x-api-key': this.key, ...options.headers };
    return call<Body>(`${this.base}${path}`, { ...options, headers });
  }

  /** Sends a body, or bytes. */
  message<Body = unknown>(body: object | string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.send('/v1/messages', {
      raw: toText(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** The response as soon as its head has arrived, streamed unless the body says otherwise. */
  stream(body: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.base}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, ...body }),
      signal: signal ?? null,
    });
  }
}

/** A short request. */
export function ask(content = 'Hello', more: object = {}): { model: string; max_tokens: number; messages: object[] } {
  return { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content }], ...more };
}

/** The parts of a streamed response until its end. */
export async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    yield decoder.decode(part, { stream: true });
  }
}

/** For tests of an own instance: `claude-*` and `renamed` are models of a scripted provider. */
export function useAnthropicApi(app: TestApp): AnthropicApi {
  const api = made<AnthropicApi>(beforeAll, async () => {
    const upstream = await AnthropicUpstream.start();
    const admin = await AdminClient.of(app);
    const provider = `p-${randomUUID().slice(0, 8)}`;
    await addProvider(admin, provider, upstream.url);
    const models = [
      { id: 'claude-*', provider, model: 'claude-*' },
      { id: 'renamed', provider, model: 'claude-other' },
    ];
    const answer = await admin.put('/admin/anthropic_models', { models });
    if (answer.status !== 200) {
      throw new Error(`PUT /admin/anthropic_models answered ${answer.status}: ${answer.text}`);
    }
    return { upstream, admin, provider, newCaller: (columns) => newCaller(app, columns) };
  });
  afterAll(() => api.upstream.close());
  beforeEach(() => {
    api.upstream.acts.length = 0;
    api.upstream.requests.length = 0;
  });
  return api;
}

/** Adds a provider with Anthropic's API. */
export async function addProvider(admin: AdminClient, name: string, url: string, more: object = {}): Promise<number> {
  const fields = { name, kind: 'anthropic', base_url: url, api_key: 'key-of-the-provider', ...more };
  const answer = await admin.post<{ id: number }>('/admin/providers', fields);
  if (answer.status !== 201) {
    throw new Error(`POST /admin/providers answered ${answer.status}: ${answer.text}`);
  }
  return answer.body.data.id;
}

export async function newCaller(app: TestApp, columns?: Partial<UserEntity>): Promise<AnthropicCaller> {
  const account = await createUser(app, columns);
  const { key, id } = await makeKey(app, account.token, { scopes: ['anthropic'] });
  return new AnthropicCaller(`${new URL(app.url).origin}/anthropic`, account, key, id);
}

function toText(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
