import { readFileSync } from 'node:fs';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import type { ImportedModule } from '../../src/common/features/features';
import { ConsoleFiles } from '../../src/console-files/serve-console';
import { createAdmin, logIn, type TestAccount } from './accounts';
import { type ChatApp, startChatApp } from './chat-app';
import { leaveWindow, type Look, openWindow } from './console-window';
import { sharedApp } from './shared-apps';
import { closeWindows } from './shared-browser';
import { made } from './use-app';

/** The program that detects accessibility problems. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The service with a scripted model, its console as built by `npm run build` or `npm run console:build`, and a browser.
 */
export interface ConsoleApp extends ChatApp {
  /** An isolated window in which the account, if any, is signed in. */
  visit(account: Pick<TestAccount, 'user'> | null, look?: Look): Promise<Page>;
  /** Ends a visit that did not change the window itself (see `leaveWindow`). */
  leave(page: Page): Promise<void>;
}

/** @param features modules from outside of the service */
export async function startConsoleApp(
  overrides: Record<string, string> = {},
  features: readonly ImportedModule[] = [],
): Promise<ConsoleApp> {
  const app = await startChatApp(overrides, features);
  return {
    ...withConsole(app),
    close: async () => {
      await closeWindows();
      await app.close();
    },
  };
}

/** The console of the instance that all files without their own settings share (see `sharedApp`). */
export function useConsoleApp(): ConsoleApp {
  afterAll(closeWindows);
  return made(beforeAll, async () => {
    const app = await sharedApp();
    // Without an administrator the console would open the setup page.
    await createAdmin(app);
    return withConsole(app);
  });
}

function withConsole(app: ChatApp): ConsoleApp {
  expect(app.app.get(ConsoleFiles).areBuilt).toBe(true);
  return {
    ...app,
    visit: async (account, look = {}) => {
      // Each window needs its own session, because a refresh token is valid once.
      const tokens = account && (await logIn(app, account.user.id));
      return openWindow(app.origin, tokens, look);
    },
    leave: leaveWindow,
  };
}

/**
 * The axe violations of WCAG 2.2 AA and best practices: the rule with each element, or nothing.
 *
 * @param rules only these; absent: all
 */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const only = rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } };
  // The location of an element is not needed: its source is shown.
  const options: RunOptions = { ...only, reporter: 'no-passes', selectors: false, preload: false };
  const run = `window.axe ? axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))) : null`;
  const found = await page.evaluate<string[] | null>(run);
  if (found) return found;
  // Through the debugger, to which the page's content security policy does not apply.
  await page.evaluate(AXE);
  return page.evaluate<string[]>(run);
}
