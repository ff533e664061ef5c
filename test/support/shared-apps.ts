import { Features } from '../../src/common/features/features';
import { readSentences, speak } from '../../src/common/i18n/translator';
import { type ChatApp, startChatApp } from './chat-app';
import { databaseEngine } from './servers/test-database';

/**
 * One for each database engine. It outlives the test files of a worker, which load this module again, and stops with
 * the worker (see `test/jest/shared-environment.js`), or otherwise with the run (see `test/jest/run-resources.ts`).
 */
declare global {
  var sharedApps: Map<string, Promise<ChatApp>> | undefined;
}

/** Changes that later files would see. */
const FORBIDDEN = ['advanceClock', 'freezeClock', 'resetClock', 'close'] as const;

/**
 * The service with a scripted language model that all files of this worker without their own settings share: a start
 * takes as long as ten tests. It starts with the first of them on each database engine.
 *
 * Its clock cannot be moved. A test that changes global state (settings, plans, providers, agents, a provider in the
 * container), or counts global totals, needs its own instance.
 */
export async function sharedApp(): Promise<ChatApp> {
  const engine = databaseEngine();
  const apps = (globalThis.sharedApps ??= new Map<string, Promise<ChatApp>>());
  const starting = apps.get(engine) ?? startChatApp();
  apps.set(engine, starting);
  const app = await starting;
  await app.model.reset();
  // Translations belong to the process: a partial application that another file created here has loaded its own.
  speak(readSentences(app.app.get(Features).folders()));
  return { ...app, ...Object.fromEntries(FORBIDDEN.map((name) => [name, () => refuse(name)])) };
}

function refuse(name: string): never {
  throw new Error(
    `${name}() concerns everybody on the shared instance: take one with useOwnTestApp() or useOwnChatApp()`,
  );
}
