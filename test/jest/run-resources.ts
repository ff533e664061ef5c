import { type DatabaseEngine, locationVariables } from '../support/servers/test-database';

interface Stoppable {
  stop(): Promise<void>;
}

interface Closeable {
  close(): Promise<void>;
}

const holder = globalThis as unknown as {
  testRunResources?: Map<DatabaseEngine, Stoppable>;
  sharedApps?: Map<DatabaseEngine, Promise<Closeable>>;
  sharedBrowser?: Promise<Closeable>;
};

/** Keeps what a global setup started until its teardown, and tells the test files of the run where it is. */
export function keepForRun(engine: DatabaseEngine, location: string, resource: Stoppable): void {
  holder.testRunResources ??= new Map();
  holder.testRunResources.set(engine, resource);
  process.env[locationVariables[engine]] = location;
}

/** Ends what `keepForRun` kept, and the instance and the browser that test files shared, where they ran in this process. */
export async function endForRun(engine: DatabaseEngine): Promise<void> {
  const { sharedApps, sharedBrowser } = holder;
  holder.sharedBrowser = undefined;
  await sharedBrowser?.then((browser) => browser.close());
  await sharedApps?.get(engine)?.then((app) => app.close());
  sharedApps?.delete(engine);
  await holder.testRunResources?.get(engine)?.stop();
}
