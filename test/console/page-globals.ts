class MemoryStorage {
  [name: string]: unknown;

  getItem(name: string): string | null {
    return (this[name] as string | undefined) ?? null;
  }

  setItem(name: string, value: string): void {
    this[name] = value;
  }

  removeItem(name: string): void {
    delete this[name];
  }
}

/** What a global was before; none: it was not there. */
const former = new Map<string, PropertyDescriptor | undefined>();

/** The globals of a page that code without elements uses. @param languages that the browser prefers */
export function setPageGlobals(...languages: string[]): void {
  const globals = {
    localStorage: new MemoryStorage(),
    sessionStorage: new MemoryStorage(),
    navigator: { languages, onLine: true },
    document: { documentElement: { lang: '' } },
    requestAnimationFrame: (draw: () => void) => setTimeout(draw, 0),
    cancelAnimationFrame: (frame: number) => clearTimeout(frame),
  };
  for (const [name, value] of Object.entries(globals)) {
    if (!former.has(name)) former.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

/** Test files share their globals, and libraries take a `document` for a browser. */
export function restoreGlobals(): void {
  for (const [name, descriptor] of former) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
  former.clear();
}
