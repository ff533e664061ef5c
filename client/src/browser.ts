interface BrowserGlobals {
  location?: { origin: string; pathname: string; search: string; assign(address: string): void };
  history: { state: unknown; replaceState(state: unknown, title: string, address: string): void };
  localStorage: BrowserStorage;
  sessionStorage: BrowserStorage;
  navigator?: { locks?: BrowserLocks };
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
