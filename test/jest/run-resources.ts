import { type DatabaseEngine, locationVariables } from '../support/servers/test-database';

interface Stoppable {
  stop(): Promise<void>;
}

declare global {
  var testRunResources: Map<DatabaseEngine, Stoppable> | undefined;
}

/** Keeps what a global setup started until its teardown, and passes its location to the test files of the run. */
export function keepForRun(engine: DatabaseEngine, location: string, resource: Stoppable): void {
  globalThis.testRunResources ??= new Map();
  globalThis.testRunResources.set(engine, resource);
  process.env[locationVariables[engine]] = location;
}

/**
 * Stops what `keepForRun` kept, and what test files shared (an instance, a thread, the browser), if they ran in this
 * process.
 */
export async function endForRun(engine: DatabaseEngine): Promise<void> {
  const { sharedApps, sharedBrowser, sharedCounter } = globalThis;
  globalThis.sharedBrowser = undefined;
  globalThis.sharedCounter = undefined;
  await sharedBrowser?.then((browser) => browser.close());
  await sharedApps?.get(engine)?.then((app) => app.close());
  sharedApps?.delete(engine);
  await sharedCounter?.onApplicationShutdown();
  await globalThis.testRunResources?.get(engine)?.stop();
}
