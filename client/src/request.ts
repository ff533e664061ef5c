import { ApiError, ConnectionError, toApiError } from './errors';

/** What a method takes: the parameters of its route, and how to give up. */
export type MethodRequest<Data> = Omit<Data, 'url'> & { signal?: AbortSignal | undefined };

/** The same without the types of one route. */
export interface AnyRequest {
  path?: object;
  query?: object;
  headers?: object;
  body?: unknown;
  signal?: AbortSignal;
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
}

/** Sends requests to the service. */
export class Service {
  constructor(
    private readonly options: ServiceOptions,
    private readonly tokens?: TokenSource,
  ) {}

  /** The body of the answer. @throws ApiError, ConnectionError */
  async call(route: string, request: AnyRequest = {}): Promise<unknown> {
    const response = await this.respond(route, request);
    return readBody(response, route.endsWith(' file')).catch((error: unknown) => fail(error, request.signal));
  }

  /**
   * The answer, if it is a good one.
   *
   * @param route `GET /api/v1/chat/{chat_id}`
   * @throws ApiError, ConnectionError
   */
  async respond(route: string, request: AnyRequest): Promise<Response> {
    const token = await this.tokens?.current();
    try {
      return await this.fetch(route, request, token);
    } catch (error) {
      if (token === undefined || !(error instanceof ApiError)) throw error;
      const other = await this.tokens?.replace(token, error);
      if (other === undefined) throw error;
      return this.fetch(route, request, other);
    }
  }

  private async fetch(route: string, request: AnyRequest, token: string | undefined): Promise<Response> {
    const { headers, body, signal } = request;
    const [method, template = ''] = route.split(' ');
    const { baseUrl, fetch } = this.options;
    const language = this.options.language();
    const response = await fetch(baseUrl + addressOf(template, request), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(language !== undefined && { 'accept-language': language }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    }).catch((error: unknown) => fail(error, signal));
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

async function readBody(response: Response, isFile: boolean): Promise<unknown> {
  if (isFile) return response.blob();
  if (response.status === 204) return undefined;
  return response.headers.get('content-type')?.startsWith('application/json') ? response.json() : response.text();
}
