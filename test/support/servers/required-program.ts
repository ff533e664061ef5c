import { findProgram, isInstalled } from './installed.js';

/**
 * The full path of a required program.
 *
 * @param install the command that installs it, for the message
 * @throws Error if it is missing
 */
export function requireProgram(program: string, install: string): string {
  const found = findProgram(program);
  if (found === undefined) throw new Error(`${program} is not installed: ${install}`);
  return found;
}

/**
 * A `describe` that needs a server program. In CI it always runs, and fails if the program is missing. Elsewhere it is
 * skipped without the program, which the summary of the run shows.
 */
export function describeWithProgram(program: string, name: string, tests: () => void): void {
  const runs = isInstalled(program) || process.env.CI !== undefined;
  (runs ? describe : describe.skip)(`${name} [needs ${program}]`, tests);
}
