import type { ImportedModule } from '../../src/common/features/features';
import type { UserEntity } from '../../src/modules/user/account/user.entity';
import { AdminClient } from './admin-client';
import { type ChatApp, startChatApp } from './chat-app';
import type { ChatClient } from './chat-client';
import { sharedApp } from './shared-apps';
import { startTestApp, type TestApp } from './test-app';

/**
 * The service for all tests in a `describe`, or in a file: with settings its own instance, which starts before them and
 * stops after them; without, the instance that all files share (see `sharedApp`).
 */
export function useTestApp(overrides?: Record<string, string>): TestApp {
  return overrides ? useOwnTestApp(overrides) : useSharedApp();
}

/** The same with a scripted language model. */
export function useChatApp(overrides?: Record<string, string>): ChatApp {
  return overrides ? useOwnChatApp(overrides) : useSharedApp();
}

/** A private instance: for tests that change, or count, global state, or have modules from outside of the service. */
export function useOwnTestApp(
  overrides: Record<string, string> = {},
  features: readonly ImportedModule[] = [],
): TestApp {
  return useApp(() => startTestApp(overrides, features));
}

/** The same with a scripted language model. */
export function useOwnChatApp(overrides: Record<string, string> = {}): ChatApp {
  return useApp(() => startChatApp(overrides));
}

/** A new user for each test. */
export function useClient(app: ChatApp, columns?: Partial<UserEntity>): ChatClient {
  return made(beforeEach, () => app.newClient(columns));
}

/** One administrator for all tests. */
export function useAdmin(app: TestApp): AdminClient {
  return made(beforeAll, () => AdminClient.of(app));
}

function useSharedApp(): ChatApp {
  return made(beforeAll, sharedApp);
}

function useApp<App extends TestApp>(start: () => Promise<App>): App {
  let started: App | undefined;
  afterAll(() => started?.close());
  return made(beforeAll, async () => (started = await start()));
}

/**
 * A placeholder for the value that the hook creates, so that tests can use it as a `const`; its members exist once the
 * hook has run.
 */
export function made<Made extends object>(hook: jest.Lifecycle, make: () => Promise<Made>): Made {
  let current: Made | undefined;
  hook(async () => {
    current = await make();
  });
  return new Proxy({} as Made, {
    get(_target, name) {
      if (current === undefined) throw new Error(`${String(name)} was read before the tests began`);
      return Reflect.get(current, name) as unknown;
    },
    set: (_target, name, value) => current !== undefined && Reflect.set(current, name, value),
  });
}
