import { basename, join } from 'node:path';

declare global {
  var serviceStarts: number | undefined;
}

/** Counts a start of the service, in this process or as a program, for the table of times (`test/jest/times.js`). */
export function countServiceStart(): void {
  globalThis.serviceStarts = (globalThis.serviceStarts ?? 0) + 1;
}

/**
 * Where a program caches V8's compiled code of its modules: its own folder, because `main.ts` sets a V8 flag, and
 * programs with different flags discard each other's cache.
 */
export function compileCacheOf(program: string): string | undefined {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE && join(NODE_COMPILE_CACHE, basename(program));
}
