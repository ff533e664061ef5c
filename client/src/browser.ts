interface BrowserGlobals {
  location?: { origin: string; pathname: string; search: string; assign(address: string): void };
  history: { state: unknown; replaceState(state: unknown, title: string, address: string): void };
  localStorage: BrowserStorage;
  sessionStorage: BrowserStorage;
  navigator?: { locks?: BrowserLocks };
  XMLHttpRequest?: new () => BrowserRequest;
}

interface BrowserRequest {
  readonly status: number;
  readonly statusText: string;
  readonly response: Blob;
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void };
  responseType: string;
  onload: () => void;
  onerror: () => void;
  onabort: () => void;
  open(method: string, address: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData | string | null): void;
  abort(): void;
}

interface BrowserStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

interface BrowserLocks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  request<Result>(
    name: string,
    options: { ifAvailable: true },
    work: (lock: object | null) => Promise<Result>,
  ): Promise<Result>;
}

/** Browser globals that the client uses. With these types, programs without the DOM library compile too. */
export const browser = globalThis as unknown as BrowserGlobals;

/** The target of `online` and `offline` events, which only browsers dispatch. */
export const network = globalThis as Partial<EventTarget>;
