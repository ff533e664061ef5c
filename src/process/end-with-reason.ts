import { OperatorError } from '../config/operator.error';

/** For the `catch` of a program that starts the service: says why it does not start, and ends the process with 1. */
export function endWithReason(error: unknown): never {
  // For a fault that an operator can correct, a sentence is enough. Any other error needs its stack.
  process.stderr.write(
    `${error instanceof OperatorError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}
