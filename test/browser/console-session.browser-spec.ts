import type { Page } from 'playwright-core';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsolePage } from '../support/console-page';

describe('the session of the console', () => {
  const app = useConsoleApp();
  let account: TestAccount;
  let at: ConsolePage;
  let page: Page;
  /** The errors in the browser console, and the number of session requests. */
  let faults: string[];
  let refreshes: number;

  beforeEach(async () => {
    account = await createUser(app);
    page = await app.visit(null);
    at = new ConsolePage(page);
    faults = [];
    refreshes = 0;
    watch(page);
  });

  afterEach(() => app.leave(page));

  function watch(tab: Page): void {
    tab.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
    tab.on('pageerror', ({ message }) => faults.push(message));
    tab.on('request', (request) => void (refreshes += Number(request.url().endsWith('/refresh_token'))));
  }

  async function signIn(): Promise<void> {
    await at.fill('E-mail address', account.email);
    await at.fill('Password', PASSWORD);
    await at.press('Sign in');
    await page.getByRole('button', { name: /^Signed in as/ }).waitFor();
  }

  /** Loads the page again, as on another day. @returns the number of session requests */
  async function load(heading: string): Promise<number> {
    refreshes = 0;
    await at.load('account/profile', heading);
    return refreshes;
  }

  it('is not requested on a first visit, which logs no error', async () => {
    await at.load('', 'Sign in');
    await at.load('chat', 'Sign in');
    await at.load('register', 'Create account');
    expect({ faults, refreshes }).toEqual({ faults: [], refreshes: 0 });
  });

  it('continues after a reload and in another tab, and is not requested after one of them has ended it', async () => {
    await at.load('account/profile', 'Sign in');
    await signIn();
    expect(await load('Profile')).toBe(1);
    const other = await page.context().newPage();
    watch(other);
    await other.goto('account/profile');
    await other.getByRole('button', { name: /^Signed in as/ }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await at.heading('Sign in');
    expect(await load('Sign in')).toBe(0);
    expect(faults).toEqual([]);
    // The other tab signs in a user who waits on the sign-in page.
    await other.getByLabel('E-mail address').fill(account.email);
    await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await at.heading('Profile');
    expect(await load('Profile')).toBe(1);
    expect(faults).toEqual([]);
  });

  it('is requested once if it has ended outside the browser, and not again', async () => {
    await at.load('account/profile', 'Sign in');
    await signIn();
    // An open page is notified, and then requests it.
    await page.goto('about:blank');
    await new ChatClient(app.url, account.token).request('/user/sessions', { method: 'DELETE' });
    expect(await load('Sign in')).toBe(1);
    expect(await load('Sign in')).toBe(0);
  });

  it('is not requested after it has expired', async () => {
    await at.load('account/profile', 'Sign in');
    await signIn();
    await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + 31 * 86_400_000; }`);
    try {
      expect(await load('Sign in')).toBe(0);
      expect(faults).toEqual([]);
    } finally {
      // In this window it persists.
      await page.context().close();
    }
  });

  it('starts again if the browser has lost the record of it', async () => {
    await at.load('account/profile', 'Sign in');
    await signIn();
    await page.evaluate('localStorage.clear()');
    expect(await load('Sign in')).toBe(0);
    await signIn();
    expect(await load('Profile')).toBe(1);
    expect(faults).toEqual([]);
  });

  it('continues from an earlier version, which stored only the colours', async () => {
    await at.load('account/profile', 'Sign in');
    await signIn();
    await page.evaluate(`localStorage.clear(); localStorage.setItem('console-theme', 'system')`);
    expect(await load('Profile')).toBe(1);
    await page.evaluate(`localStorage.removeItem('console-theme')`);
    expect(await load('Profile')).toBe(1);
  });

  it('is not assumed because a user has chosen colours', async () => {
    await at.load('', 'Sign in');
    await at.press('Theme');
    await at.press('Dark');
    expect(await load('Sign in')).toBe(0);
    expect(faults).toEqual([]);
  });
});
