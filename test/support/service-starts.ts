declare global {
  var serviceStarts: number | undefined;
}

/** Counts a start of the service, in this process or as a program, for the table of times (`test/jest/times.js`). */
export function countServiceStart(): void {
  globalThis.serviceStarts = (globalThis.serviceStarts ?? 0) + 1;
}
