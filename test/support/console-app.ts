import { readFileSync } from 'node:fs';
import type { RunOptions } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { ConsoleFiles } from '../../src/console-files/console-files';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createAdmin, logIn, type TestAccount } from './accounts';
import { type ChatApp, startChatApp } from './chat-app';
import { sharedApp } from './shared-apps';
import { closeWindows, sharedBrowser } from './shared-browser';
import { made } from './use-app';

/** The program that looks for what disabled people cannot use. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

/** How somebody looks at the console. */
export interface Look {
  /** Language of the browser. */
  language?: string;
  theme?: 'light' | 'dark';
  /** Pixels. */
  width?: number;
  /** On a phone: without a mouse, and with a keyboard of the screen. */
  isPhone?: boolean;
}

/** The service with a scripted model, its console as `npm run build` or `npm run console:build` made it, and a browser. */
export interface ConsoleApp extends ChatApp {
  /** A window that shares nothing with others, in which the account is signed in, if there is one. */
  visit(account: Pick<TestAccount, 'user'> | null, look?: Look): Promise<Page>;
}

export async function startConsoleApp(overrides: Record<string, string> = {}): Promise<ConsoleApp> {
  const app = await startChatApp(overrides);
  return {
    ...withConsole(app),
    close: async () => {
      await closeWindows();
      await app.close();
    },
  };
}

/** The console of the instance that all files share which name no setting of their own (see `sharedApp`). */
export function useConsoleApp(): ConsoleApp {
  afterAll(closeWindows);
  return made(beforeAll, async () => {
    const app = await sharedApp();
    // Without an administrator the entrance would ask for one.
    await createAdmin(app);
    return withConsole(app);
  });
}

function withConsole(app: ChatApp): ConsoleApp {
  expect(app.app.get(ConsoleFiles).areBuilt).toBe(true);
  return {
    ...app,
    visit: async (account, look = {}) => {
      // Each window needs a session of its own: a refresh token counts once.
      const tokens = account && (await logIn(app, account.user.id));
      return openWindow(app.origin, tokens, look);
    },
  };
}

/** A window that shares nothing with others, in which the session goes on whose tokens are given. */
export async function openWindow(
  origin: string,
  tokens: Pick<TokenPairDto, 'refresh_token'> | null,
  { language = 'en', theme = 'light', width = 1280, isPhone = false }: Look,
): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    baseURL: `${origin}/console/`,
    locale: language,
    colorScheme: theme,
    viewport: { width, height: 900 },
    hasTouch: isPhone,
    isMobile: isPhone,
    timezoneId: 'Europe/Paris',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  if (tokens) {
    await context.addCookies([sessionCookie(tokens)]);
    // What the console keeps beside the cookie, which it cannot read: until when there is a session.
    await context.addInitScript(
      `if (location.protocol.startsWith('http')) localStorage['console-session-end'] ??= String(Date.now() + 1e9)`,
    );
  }
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

function sessionCookie({ refresh_token: value }: Pick<TokenPairDto, 'refresh_token'>): Cookie {
  return {
    name: 'refresh_token',
    value,
    domain: '127.0.0.1',
    path: '/api/v1/auth',
    httpOnly: true,
    sameSite: 'Strict',
  };
}

/**
 * What axe finds against WCAG 2.2 AA and good practice: the rule with each element, or nothing.
 *
 * @param rules only these; absent: all
 */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const only = rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } };
  // Where an element stands need not be described: its source is shown.
  const options: RunOptions = { ...only, reporter: 'no-passes', selectors: false, preload: false };
  const run = `window.axe ? axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))) : null`;
  const found = await page.evaluate<string[] | null>(run);
  if (found) return found;
  // Through the debugger, which the content security policy of the page does not concern.
  await page.evaluate(AXE);
  return page.evaluate<string[]>(run);
}
