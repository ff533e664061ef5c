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

/** The earlier value of a global; undefined if there was none. */
const former = new Map<string, PropertyDescriptor | undefined>();

/** The page globals that code without elements uses. @param languages the browser's preferred languages */
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

/** Test files share their globals, and libraries detect a browser by `document`. */
export function restoreGlobals(): void {
  for (const [name, descriptor] of former) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
  former.clear();
}
