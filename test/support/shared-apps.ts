import { type ChatApp, startChatApp } from './chat-app';
import { databaseEngine } from './servers/test-database';

interface Shared {
  engine: string;
  app: Promise<ChatApp>;
}

/** Outlives the test files of a worker, which load this module anew. Closed by `test/jest/shared-environment.js`. */
const holder = globalThis as unknown as { sharedApp?: Shared };

/** What would be seen by the files that come after. */
const FORBIDDEN = ['advanceClock', 'freezeClock', 'resetClock', 'close'] as const;

/**
 * The service with a scripted language model that all files of this worker share which name no setting of their own: a
 * start takes as long as ten tests. It starts with the first of them on each database engine.
 *
 * Its clock cannot be moved. Whoever changes what concerns everybody (settings, plans, providers, agents, a provider of the
 * container), or counts what everybody has, takes an instance of their own.
 */
export async function sharedApp(): Promise<ChatApp> {
  const engine = databaseEngine();
  if (holder.sharedApp?.engine !== engine) {
    const former = holder.sharedApp;
    holder.sharedApp = undefined;
    await former?.app.then((app) => app.close());
    holder.sharedApp = { engine, app: startChatApp() };
  }
  const app = await holder.sharedApp.app;
  await app.model.reset();
  return { ...app, ...Object.fromEntries(FORBIDDEN.map((name) => [name, () => refuse(name)])) };
}

function refuse(name: string): never {
  throw new Error(
    `${name}() concerns everybody on the shared instance: take one with useOwnTestApp() or useOwnChatApp()`,
  );
}
