import { ApiError, ConnectionError, toApiError } from './errors';
import { Patience } from './patience';
import { isPassing, pause } from './retry';
import type { Route } from './route';

/** How a request is made. */
export interface RequestOptions {
  /** Gives it up, with all its repetitions and pages. */
  signal?: AbortSignal | undefined;
  /** As the option of the client, for this call. */
  maxRetries?: number | undefined;
  /** As the option of the client, for this call. */
  timeout?: number | undefined;
  /** Hears of each answer as it begins, also of one that is a failure: its status and headers. The body is the client's. */
  onResponse?: ((response: Response) => void) | undefined;
}

/** What a method takes: the parameters of its route, and how the request is made. */
export type MethodRequest<Data> = Omit<Data, 'url'> & RequestOptions;

/** The same without the types of one route. */
export interface AnyRequest extends RequestOptions {
  path?: object;
  query?: object | undefined;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Where access tokens come from. */
export interface TokenSource {
  /** Undefined: the request goes without a token. */
  current(): string | undefined | Promise<string | undefined>;
  /** Another token after one was refused; undefined: there is none. */
  replace(token: string, refusal: ApiError): Promise<string | undefined>;
}

export interface ServiceOptions {
  baseUrl: string;
  fetch: typeof fetch;
  language: () => string | undefined;
  maxRetries: number;
  timeout?: number | undefined;
}

/** How long something may take to come where no model is waited for. */
const TIMEOUT_MILLISECONDS = 60_000;

/** The same where a model may think before anything comes. */
const MODEL_TIMEOUT_MILLISECONDS = 600_000;

/** Sends requests to the service. */
export class Service {
  constructor(
    private readonly options: ServiceOptions,
    private readonly tokens?: TokenSource,
  ) {}

  /** The body of the answer. What may come twice without being done twice is sent again. @throws ApiError, ConnectionError */
  call(route: Route, request: AnyRequest = {}): Promise<unknown> {
    return this.authorized(request, (authorized) => this.repeat(route, authorized));
  }

  /**
   * The answer, if it is a good one.
   *
   * @param patience how long it is waited for
   * @throws ApiError, ConnectionError
   */
  respond(route: Route, request: AnyRequest, patience: Patience): Promise<Response> {
    return this.authorized(request, (authorized) => this.fetch(route, authorized, patience));
  }

  /** Where a route is. */
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
    const isRead = route.method === 'GET';
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
    const { body } = request;
    const { signal } = patience;
    const { fetch } = this.options;
    const language = this.options.language();
    patience.wait();
    const response = await fetch(this.address(route.path, request), {
      method: route.method,
      headers: {
        ...(language !== undefined && { 'accept-language': language }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    }).catch((error: unknown) => fail(error, signal));
    request.onResponse?.(response);
    if (!response.ok) throw await toApiError(response);
    return response;
  }
}

/** A connection that the caller gave up fails with the caller's reason. */
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
