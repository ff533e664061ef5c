import { browser } from './browser';
import { ApiError, ConnectionError, toApiError } from './errors';
import { formOf } from './form';
import { Patience } from './patience';
import { isPassing, pause } from './retry';
import type { Route } from './route';

/** Options of a single request. */
export interface RequestOptions {
  /** Aborts the request with all its retries and pages. */
  signal?: AbortSignal | undefined;
  /** Overrides the option of the client. */
  maxRetries?: number | undefined;
  /** Overrides the option of the client. */
  timeout?: number | undefined;
  /** Called with the status and headers of each response, including failures. The body is reserved for the client. */
  onResponse?: ((response: Response) => void) | undefined;
  /** Called with the part of the body that was sent, from 0 to 1. Only browsers report it. */
  onProgress?: ((part: number) => void) | undefined;
}

/** The request of a method: the parameters of its route, and options. */
export type MethodRequest<Data> = Omit<Data, 'url'> & RequestOptions;

/** The same without the types of one route. */
export interface AnyRequest extends RequestOptions {
  path?: object;
  query?: object | undefined;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The source of access tokens. */
export interface TokenSource {
  /** Undefined: the request is sent without a token. */
  current(): string | undefined | Promise<string | undefined>;
  /** Returns another token after a refusal; undefined if there is none. */
  replace(token: string, refusal: ApiError): Promise<string | undefined>;
}

export interface ServiceOptions {
  baseUrl: string;
  fetch: typeof fetch;
  language: () => string | undefined;
  maxRetries: number;
  timeout?: number | undefined;
}

/** Longest time without data for requests that call no model. */
const TIMEOUT_MILLISECONDS = 60_000;

/** The same for requests where a model may think before it sends data. */
const MODEL_TIMEOUT_MILLISECONDS = 600_000;

/** Sends requests to the service. */
export class Service {
  constructor(
    private readonly options: ServiceOptions,
    private readonly tokens?: TokenSource,
  ) {}

  /**
   * Returns the response body. Requests that are safe to repeat are retried.
   *
   * @throws ApiError, ConnectionError
   */
  call(route: Route, request: AnyRequest = {}): Promise<unknown> {
    return this.authorized(request, (authorized) => this.repeat(route, authorized));
  }

  /**
   * Returns the response if it is successful.
   *
   * @param patience limits the waiting time
   * @throws ApiError, ConnectionError
   */
  respond(route: Route, request: AnyRequest, patience: Patience): Promise<Response> {
    return this.authorized(request, (authorized) => this.fetch(route, authorized, patience));
  }

  /** The address of a route. */
  address(path: string, request: AnyRequest): string {
    return this.options.baseUrl + addressOf(path, request);
  }

  private async authorized<Answer>(
    request: AnyRequest,
    send: (request: AnyRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const sendAs = (token: string): Promise<Answer> =>
      send({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
    const token = await this.tokens?.current();
    if (token === undefined) return send(request);
    try {
      return await sendAs(token);
    } catch (error) {
      const other = error instanceof ApiError && (await this.tokens?.replace(token, error));
      if (!other) throw error;
      return sendAs(other);
    }
  }

  private async repeat(route: Route, request: AnyRequest): Promise<unknown> {
    const isRead = route.method === undefined;
    const isSafe = isRead || (route.isKeyed && new Headers(request.headers).has('idempotency-key'));
    const usual = isRead && route.answers !== 'stream' ? TIMEOUT_MILLISECONDS : MODEL_TIMEOUT_MILLISECONDS;
    const { maxRetries = this.options.maxRetries, timeout = this.options.timeout ?? usual, signal } = request;
    for (let attempts = 1; ; attempts += 1) {
      const patience = new Patience(isSafe ? timeout : 0, signal);
      let failure: unknown;
      try {
        const response = patience.watch(await this.fetch(route, request, patience));
        return await readBody(response, route).catch((error: unknown) => fail(error, patience.signal));
      } catch (error) {
        if (!isSafe || attempts > maxRetries || !isPassing(error)) throw error;
        failure = error;
      } finally {
        patience.close();
      }
      await pause(attempts, failure, signal);
    }
  }

  private async fetch(route: Route, request: AnyRequest, patience: Patience): Promise<Response> {
    const { body, onProgress } = request;
    const { signal } = patience;
    const { fetch } = this.options;
    const language = this.options.language();
    const form = formOf(body);
    const address = this.address(route.path, request);
    const sent = {
      method: route.method ?? 'GET',
      headers: {
        ...(language !== undefined && { 'accept-language': language }),
        ...(body !== undefined && !form && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: form ?? (body === undefined ? null : JSON.stringify(body)),
      signal,
    };
    patience.wait();
    const answer =
      onProgress && browser.XMLHttpRequest
        ? import('./upload.js').then(({ sendWithProgress }) =>
            sendWithProgress(address, sent, (part) => {
              patience.wait();
              onProgress(part);
            }),
          )
        : fetch(address, sent);
    const response = await answer.catch((error: unknown) => fail(error, signal));
    request.onResponse?.(response);
    if (!response.ok) throw await toApiError(response);
    return response;
  }
}

/** If the caller has aborted the connection, it fails with the caller's reason. */
export function fail(error: unknown, signal?: AbortSignal): never {
  throw signal?.aborted ? signal.reason : new ConnectionError(error);
}

function addressOf(template: string, { path = {}, query = {} }: AnyRequest): string {
  const values = path as Record<string, unknown>;
  const address = template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(values[name])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null) parameters.append(name, String(one as string | number | boolean));
    }
  }
  const text = parameters.toString();
  return text === '' ? address : `${address}?${text}`;
}

async function readBody(response: Response, { answers }: Route): Promise<unknown> {
  if (answers === 'file') return response.blob();
  if (response.status === 204) return undefined;
  return response.headers.get('content-type')?.startsWith('application/json') ? response.json() : response.text();
}
