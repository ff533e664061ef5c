import { endForRun } from './run-resources';

/** Stops what the global setup started. */
export default function tearDown(): Promise<void> {
  return endForRun('mysql');
}
