import { type DatabaseEngine, locationVariables } from '../support/servers/test-database';

interface Stoppable {
  stop(): Promise<void>;
}

const holder = globalThis as unknown as { testRunResources?: Map<DatabaseEngine, Stoppable> };

/** Keeps what a global setup started until its teardown, and tells the test files of the run where it is. */
export function keepForRun(engine: DatabaseEngine, location: string, resource: Stoppable): void {
  holder.testRunResources ??= new Map();
  holder.testRunResources.set(engine, resource);
  process.env[locationVariables[engine]] = location;
}

/** Ends what `keepForRun` kept. */
export async function endForRun(engine: DatabaseEngine): Promise<void> {
  await holder.testRunResources?.get(engine)?.stop();
}
