import { OperatorError } from '../config/operator.error';

/** For the `catch` of a program that starts the service: prints why it does not start, and exits with code 1. */
export function endWithReason(error: unknown): never {
  // If an operator can fix the fault, a sentence is enough. Any other error needs its stack.
  process.stderr.write(
    `${error instanceof OperatorError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}
