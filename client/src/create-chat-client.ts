import { browser } from './browser';
import { type FeedOptions, type ReadEvents, readEvents } from './event-feed';
import { type ChatServiceMethods, ROUTES } from './generated/methods';
import type { FileDto } from './generated/types';
import { readPages } from './pages';
import { type ChatReplies, chatReplies, randomKey } from './replies';
import { type AnyRequest, Service, type TokenSource } from './request';
import type { Route } from './route';
import { type ClientSession, Session } from './session';
import { MemoryTokens, StoredTokens, TabTokens } from './token-store';
import type { UploadOptions } from './upload';

export interface ChatClientOptions {
  /** Address of the service, without `/api/v1`. Default: the page's own origin. */
  baseUrl?: string | undefined;
  /** An API key or access token, or a function that returns one for each request. Excludes `session`. */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the tokens of a login are stored. `cookie`: the refresh token is in a cookie that no script can read, on the
   * service's own origin only. `storage`: in the browser's storage. `memory`, the default: in this object.
   */
  session?: 'cookie' | 'storage' | 'memory' | undefined;
  /** Language of responses, as `Accept-Language`. A function is called for each request. */
  language?: string | (() => string) | undefined;
  /**
   * How often the client retries a request after a connection failure or status 408, 429, 500, 502, 503 or 504. It
   * retries only GET requests and writes with an `Idempotency-Key`. 0: never. Default: 2. Replies have their own retry
   * logic.
   */
  maxRetries?: number | undefined;
  /**
   * For the same requests: the longest time without data, in milliseconds, until the response is complete. After that,
   * the request fails with a `TimeoutError`. 0: no limit. Default: one minute, or ten minutes where a model may need
   * time.
   */
  timeout?: number | undefined;
  fetch?: typeof fetch | undefined;
}

/** Functions beyond single requests. */
export interface ChatClientExtras extends ChatReplies {
  session: ClientSession;
  /** Events of the user as they occur. The request is sent when the first event is read. */
  events: ReadEvents;
  files: {
    /** Uploads a file. It is stored once, even if the request is repeated after a lost connection. */
    upload(file: File, options?: UploadOptions): Promise<FileDto>;
  };
}

/** All routes as methods, such as `client.admin.users.list()`, and functions beyond single requests. */
export type ChatClient = ChatServiceMethods & ChatClientExtras;

export function createChatClient(options: ChatClientOptions = {}): ChatClient {
  const { baseUrl = browser.location?.origin, accessToken, session: kind = 'memory', language } = options;
  if (!baseUrl) throw new TypeError('baseUrl is missing: only a page has an origin of its own.');
  const service = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
    language: typeof language === 'function' ? language : () => language,
    maxRetries: options.maxRetries ?? 2,
    timeout: options.timeout,
  };
  // During server-side rendering, there are no tabs and no storage.
  const store = { cookie: TabTokens, storage: StoredTokens, memory: MemoryTokens }[browser.location ? kind : 'memory'];
  const session = new Session(new Service(service), new store(), kind === 'cookie');
  const authorized = new Service(service, accessToken === undefined ? session : given(accessToken));
  const methods = bind(ROUTES, authorized) as ChatServiceMethods;
  const events = (options?: FeedOptions): ReturnType<ReadEvents> => readEvents(authorized, options);
  const upload = async (file: File, options?: UploadOptions): Promise<FileDto> => {
    const headers = { 'Idempotency-Key': randomKey() };
    return (await methods.files.create({ ...options, body: { file }, headers })).data;
  };
  return {
    ...methods,
    ...chatReplies(authorized),
    session,
    events: Object.assign(events, methods.events),
    files: { ...methods.files, upload },
  };
}

function given(accessToken: string | (() => string | Promise<string>)): TokenSource {
  return {
    current: typeof accessToken === 'string' ? () => accessToken : accessToken,
    replace: () => Promise.resolve(undefined),
  };
}

/** Creates a method for each route, named after its operation. */
function bind(routes: object, service: Service): object {
  const methods = Object.entries(routes).map(([name, part]: [string, object]) => [
    name,
    isRoute(part) ? (request?: AnyRequest) => send(service, part, request) : bind(part, service),
  ]);
  return Object.fromEntries(methods) as object;
}

function isRoute(part: object): part is Route {
  return 'path' in part && typeof part.path === 'string';
}

function send(service: Service, route: Route, request?: AnyRequest): Promise<unknown> {
  return route.pages ? readPages(service, route, request) : service.call(route, request);
}
