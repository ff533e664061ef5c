import type { BrowserContext, Page } from 'playwright-core';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { sharedBrowser } from './shared-browser';

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

type Tokens = Pick<TokenPairDto, 'refresh_token'>;

/** What a test may have listened to. */
const EVENTS = ['request', 'console', 'pageerror'] as const;

/** Of this test file: the kind of each window, and those that nobody uses any more. */
const kinds = new WeakMap<Page, string>();
const left = new Map<string, Page>();

/** A window that shares nothing with others, in which the session goes on whose tokens are given. */
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
 * Ends a visit. The next one with the same look gets this window, whose process knows the program already, with nothing
 * else left in it. Windows whose clock, scripts or network were changed are closed with their context instead.
 */
export async function leaveWindow(page: Page): Promise<void> {
  const kind = kinds.get(page);
  if (kind !== undefined && !page.isClosed() && !left.has(kind)) left.set(kind, page);
  else await page.context().close();
}

/**
 * Ends what a test began in a window in which the same person goes on with the next test: other windows of theirs, listeners,
 * routes, colours and widths. To leave the window would load the console again, and axe would begin anew.
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

/** Forgets the former visit, at last on a page without a program: nothing of the former person can come back from there. */
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
    timezoneId: 'Europe/Paris',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // What the console keeps beside the cookie, which it cannot read: until when there is a session.
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
