import type { BrowserContext, Page } from 'playwright-core';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { sharedBrowser } from './shared-browser';

type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

/** The display settings of a user. */
export interface Look {
  /** Language of the browser. */
  language?: string;
  theme?: 'light' | 'dark';
  /** Pixels. */
  width?: number;
  /** On a phone: without a mouse, and with an on-screen keyboard. */
  isPhone?: boolean;
}

type Tokens = Pick<TokenPairDto, 'refresh_token'>;

/** Events that a test may have listened to. */
const EVENTS = ['request', 'console', 'pageerror'] as const;

/** Of this test file: the type of each window, and unused ones. */
const kinds = new WeakMap<Page, string>();
const left = new Map<string, Page>();

/** An isolated window with the session of these tokens. */
export async function openWindow(origin: string, tokens: Tokens | null, look: Look): Promise<Page> {
  const kind = JSON.stringify([origin, tokens !== null, look]);
  const former = left.get(kind);
  left.delete(kind);
  if (former) await renew(former, origin, look);
  const page = former ?? (await newWindow(origin, tokens !== null, look));
  kinds.set(page, kind);
  if (tokens) await page.context().addCookies([sessionCookie(tokens)]);
  return page;
}

/**
 * Ends a visit. The next one with the same display settings gets this window, which has the code already loaded,
 * without other leftovers. Windows with a changed clock, scripts or network are closed with their context instead.
 */
export async function leaveWindow(page: Page): Promise<void> {
  const kind = kinds.get(page);
  if (kind !== undefined && !page.isClosed() && !left.has(kind)) left.set(kind, page);
  else await page.context().close();
}

/**
 * Cleans up after a test in a window that the same user keeps for the next test: other windows, listeners, routes,
 * colours and widths. Leaving the window would load the console again and restart axe.
 */
export async function tidyWindow(page: Page, { theme = 'light', width = 1280 }: Look = {}): Promise<void> {
  const context = page.context();
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  EVENTS.forEach((event) => page.removeAllListeners(event));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'no-preference' });
  await page.setViewportSize({ width, height: 900 });
}

/** Clears the former visit, last on a page without code: no data of the former user can return from there. */
async function renew(page: Page, origin: string, look: Look): Promise<void> {
  await tidyWindow(page, look);
  await page.goto(`${origin}/health/live`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
}

async function newWindow(
  origin: string,
  isSignedIn: boolean,
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
    // It would answer navigations before the routes of a test.
    serviceWorkers: 'block',
    timezoneId: 'Europe/Paris',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // The data that the console stores next to the cookie, which it cannot read: the expiry of the session.
  const end = `if (location.pathname.startsWith('/console')) localStorage['console-session-end'] ??= String(Date.now() + 1e9)`;
  if (isSignedIn) await context.addInitScript(end);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

function sessionCookie({ refresh_token: value }: Tokens): Cookie {
  return {
    name: 'refresh_token',
    value,
    domain: '127.0.0.1',
    path: '/api/v1/auth',
    httpOnly: true,
    sameSite: 'Strict',
  };
}
