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

/** What only browsers have, as far as it is used: programs without the types of browsers compile too. */
export const browser = globalThis as unknown as BrowserGlobals;

/** Browsers tell here that they are offline or online; programs have no such events. */
export const network = globalThis as Partial<EventTarget>;
