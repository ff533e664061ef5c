const counter = globalThis as unknown as { serviceStarts?: number };

/** Counts a start of the service, in this process or as a program, for the table of times (`test/jest/times.js`). */
export function countServiceStart(): void {
  counter.serviceStarts = (counter.serviceStarts ?? 0) + 1;
}
