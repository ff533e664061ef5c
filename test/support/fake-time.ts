import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

/** The library in Debian's package `libfaketime`; undefined if it is not installed. */
function fakeTimeLibrary(): string | undefined {
  const folders = existsSync(LIBRARIES) ? readdirSync(LIBRARIES) : [];
  return folders
    .map((folder) => join(LIBRARIES, folder, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}

/**
 * Environment of a process with a wrong clock; timers and the monotonic clock stay right.
 *
 * @param offset such as `+1h` or `-15s`
 */
export function wrongClock(offset: string): Record<string, string> {
  const library = fakeTimeLibrary();
  if (library === undefined) {
    throw new Error('libfaketime is not installed: apt-get install libfaketime');
  }
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** A `describe` that needs processes with wrong clocks. In CI it always runs; elsewhere it is skipped without the library. */
export function describeWithFakeTime(name: string, tests: () => void): void {
  const runs = fakeTimeLibrary() !== undefined || process.env.CI !== undefined;
  (runs ? describe : describe.skip)(`${name} [needs libfaketime]`, tests);
}
