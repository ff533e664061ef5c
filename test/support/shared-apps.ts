import { Features } from '../../src/common/features/features';
import { readSentences } from '../../src/common/i18n/sentences';
import { speak } from '../../src/common/i18n/translator';
import { type ChatApp, startChatApp } from './chat-app';
import { databaseEngine } from './servers/test-database';

/**
 * One for each database engine. Outlives the test files of a worker, which load this module anew, and ends with the worker
 * (see `test/jest/shared-environment.js`), or where there is none with the run (see `test/jest/run-resources.ts`).
 */
declare global {
  var sharedApps: Map<string, Promise<ChatApp>> | undefined;
}

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
  const apps = (globalThis.sharedApps ??= new Map<string, Promise<ChatApp>>());
  const starting = apps.get(engine) ?? startChatApp();
  apps.set(engine, starting);
  const app = await starting;
  await app.model.reset();
  // Sentences belong to the process: an application of a few modules, which another file made here, left its own.
  speak(readSentences(app.app.get(Features).folders()));
  return { ...app, ...Object.fromEntries(FORBIDDEN.map((name) => [name, () => refuse(name)])) };
}

function refuse(name: string): never {
  throw new Error(
    `${name}() concerns everybody on the shared instance: take one with useOwnTestApp() or useOwnChatApp()`,
  );
}
