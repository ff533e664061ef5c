import { type DatabaseEngine, locationVariables } from '../support/servers/test-database';

interface Stoppable {
  stop(): Promise<void>;
}

const holder = globalThis as unknown as {
  testRunResources?: Map<DatabaseEngine, Stoppable>;
  sharedApp?: { app: Promise<{ close(): Promise<void> }> };
};

/** Keeps what a global setup started until its teardown, and tells the test files of the run where it is. */
export function keepForRun(engine: DatabaseEngine, location: string, resource: Stoppable): void {
  holder.testRunResources ??= new Map();
  holder.testRunResources.set(engine, resource);
  process.env[locationVariables[engine]] = location;
}

/** Ends what `keepForRun` kept, and the instance that test files shared, where they ran in this process. */
export async function endForRun(engine: DatabaseEngine): Promise<void> {
  const shared = holder.sharedApp;
  holder.sharedApp = undefined;
  await shared?.app.then((app) => app.close());
  await holder.testRunResources?.get(engine)?.stop();
}
