import { findProgram, isInstalled } from './installed.js';

/**
 * The full path of a program a test cannot do without.
 *
 * @param install the command that installs it, for the message
 * @throws Error when it is missing
 */
export function requireProgram(program: string, install: string): string {
  const found = findProgram(program);
  if (found === undefined) throw new Error(`${program} is not installed: ${install}`);
  return found;
}

/**
 * A `describe` that needs a server program. In CI it always runs, and fails where the program is missing; elsewhere it
 * is skipped without it, and the summary of the run says so.
 */
export function describeWithProgram(program: string, name: string, tests: () => void): void {
  const runs = isInstalled(program) || process.env.CI !== undefined;
  (runs ? describe : describe.skip)(`${name} [needs ${program}]`, tests);
}
