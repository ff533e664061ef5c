import { basename, join } from 'node:path';

declare global {
  var serviceStarts: number | undefined;
}

/** Counts a start of the service, in this process or as a program, for the table of times (`test/jest/times.js`). */
export function countServiceStart(): void {
  globalThis.serviceStarts = (globalThis.serviceStarts ?? 0) + 1;
}

/**
 * Where a program keeps what V8 makes of its modules: a folder of its own, because `main.ts` sets a flag of V8, and programs with
 * different flags throw away what the other has kept.
 */
export function compileCacheOf(program: string): string | undefined {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE && join(NODE_COMPILE_CACHE, basename(program));
}
