import { browser } from './browser';
import { type ChatServiceMethods, ROUTES } from './generated/methods';
import { type ChatReplies, chatReplies } from './replies';
import { type AnyRequest, Service, type TokenSource } from './request';
import { type ClientSession, Session } from './session';
import { MemoryTokens, StoredTokens, TabTokens } from './token-store';

export interface ChatClientOptions {
  /** Address of the service, without `/api/v1`. Default: the page's own origin. */
  baseUrl?: string | undefined;
  /** An API key or access token, or how to get one: asked at each request. Excludes `session`. */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the tokens of a login are. `cookie`: the refresh token in a cookie that no script can read, on the service's own
   * origin only; `storage`: in the browser's storage; `memory`, the default: in this object.
   */
  session?: 'cookie' | 'storage' | 'memory' | undefined;
  /** Language of answers, as `Accept-Language`. A function is asked at each request. */
  language?: string | (() => string) | undefined;
  fetch?: typeof fetch | undefined;
}

/** What the client does beyond single requests. */
export interface ChatClientExtras extends ChatReplies {
  session: ClientSession;
}

/** All routes as methods, such as `client.admin.users.list()`, and what goes beyond single requests. */
export type ChatClient = ChatServiceMethods & ChatClientExtras;

export function createChatClient(options: ChatClientOptions = {}): ChatClient {
  const { baseUrl = browser.location?.origin, accessToken, session: kind = 'memory', language } = options;
  if (!baseUrl) throw new TypeError('baseUrl is missing: only a page has an origin of its own.');
  const service = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
    language: typeof language === 'function' ? language : () => language,
  };
  // A server that renders a page makes its client too, and has no tabs and no storage.
  const store = { cookie: TabTokens, storage: StoredTokens, memory: MemoryTokens }[browser.location ? kind : 'memory'];
  const session = new Session(new Service(service), new store(), kind === 'cookie');
  const authorized = new Service(service, accessToken === undefined ? session : given(accessToken));
  return { ...(bind(ROUTES, authorized) as ChatServiceMethods), ...chatReplies(authorized), session };
}

function given(accessToken: string | (() => string | Promise<string>)): TokenSource {
  return {
    current: typeof accessToken === 'string' ? () => accessToken : accessToken,
    replace: () => Promise.resolve(undefined),
  };
}

/** A method for each route, where the name of its operation says. */
function bind(routes: object, service: Service): object {
  const methods = Object.entries(routes).map(([name, route]: [string, string | object]) => [
    name,
    typeof route === 'string' ? (request?: AnyRequest) => service.call(route, request) : bind(route, service),
  ]);
  return Object.fromEntries(methods) as object;
}
