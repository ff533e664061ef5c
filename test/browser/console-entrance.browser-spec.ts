import type { Page } from 'playwright-core';
import { createUser, newcomer, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { OTHER_MACHINE } from '../support/browser-flags';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';

describe('the entrance of the console', () => {
  let app: ConsoleApp;
  let account: TestAccount;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    account = await createUser(app, { userType: 'admin' });
  });

  afterEach(() => page.context().close());

  afterAll(() => app.close());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const signedIn = (name: string) => page.getByRole('button', { name: `Signed in as ${name}` }).waitFor();

  async function enterPassword(email: string, password: string): Promise<void> {
    await fill('E-mail address', email);
    await fill('Password', password);
    await press('Sign in');
  }

  /** The newest code in the mails to an address. */
  async function codeFor(email: string): Promise<string> {
    const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
    return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
  }

  it('signs in with a password, goes on to the address that was wanted, and stays signed in', async () => {
    page = await app.visit(null);
    await page.goto('account/sessions');
    await heading('Sign in');
    await enterPassword(account.email, PASSWORD);
    await heading('Sessions');
    expect(new URL(page.url()).pathname).toBe('/console/account/sessions');
    await page.reload();
    await heading('Sessions');
  });

  it('lets people in who come by plain http from another machine, until they reload', async () => {
    page = await app.visit(null);
    await page.goto(app.origin.replace('127.0.0.1', OTHER_MACHINE) + '/console/sign-in');
    await page.getByText('This address is not encrypted (http)').waitFor();
    expect(await violations(page)).toEqual([]);
    await enterPassword(account.email, PASSWORD);
    await signedIn(account.user.username);
    await page.getByRole('link', { name: 'Account' }).click();
    await heading('Profile');
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await heading('Sign in');
  });

  it('waits as long as the service asks for, and then goes on by itself', async () => {
    page = await app.visit(account);
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', retry_after: 1 };
    await page.route(
      '**/auth/refresh_token',
      (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { success: false, error } }),
      { times: 1 },
    );
    await page.goto('account/profile');
    await page.getByRole('alert').getByText('Too many requests.').waitFor();
    await heading('Profile');
  });

  it('keeps the address that was wanted over the way to another page of the entrance', async () => {
    page = await app.visit(null);
    await page.goto('account/usage');
    await page.getByRole('link', { name: 'Create account' }).click();
    await heading('Create account');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(account.email, PASSWORD);
    await heading('Usage and plan');
  });

  it('says that a password is wrong, and keeps the address', async () => {
    page = await app.visit(null);
    await page.goto('sign-in');
    await enterPassword(account.email, 'not the password');
    expect(await page.getByRole('alert').textContent()).toBe('The e-mail address or the password is wrong.');
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(account.email);
    await press('Show password');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
  });

  it('offers a code when the password is locked, and signs in with it', async () => {
    const { email, user } = await createUser(app);
    page = await app.visit(null);
    await page.goto('sign-in');
    await fill('E-mail address', email);
    for (let failures = 0; failures <= 10; failures++) {
      await fill('Password', `wrong password ${failures}`);
      const answer = page.waitForResponse('**/auth/login');
      await press('Sign in');
      await answer;
    }
    await page.getByText('With a code by e-mail you get in now.').waitFor();
    await page.getByRole('button', { name: 'Get a code by e-mail instead' }).first().click();
    await heading('Sign in with a code');
    await press('Send code');
    await fill('Code', await codeFor(email));
    await press('Sign in');
    await signedIn(user.username);
  });

  it('registers with a code by mail, and says at its field what is wrong', async () => {
    const { email, username } = newcomer();
    page = await app.visit(null);
    await page.goto('register');
    await fill('E-mail address', email);
    await press('Send code');
    expect(await page.getByRole('button', { name: /^Another code in/ }).isDisabled()).toBe(true);
    await fill('Code', await codeFor(email));
    await fill('Username', account.user.username);
    await fill('Password', 'password');
    await press('Create account');
    await page.getByText('Many people use this password', { exact: false }).waitFor();
    await fill('Password', PASSWORD);
    await press('Create account');
    await page.getByText('This username is already taken. Please choose another one.').waitFor();
    const field = page.getByLabel('Username', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator(':focus').getAttribute('name')).toBe('username');
    await fill('Username', username);
    await press('Create account');
    await signedIn(username);
    expect(new URL(page.url()).pathname).toBe('/console/chat');
  });

  it('goes on with the code in the mailbox when another was asked for too soon', async () => {
    const { email, user } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    page = await app.visit(null);
    await page.goto('sign-in');
    await press('Get a code by e-mail instead');
    await fill('E-mail address', email);
    await press('Send code');
    await page.getByText('A code was requested too often.', { exact: false }).waitFor();
    await fill('Code', code);
    await press('Sign in');
    await signedIn(user.username);
  });

  it('gives a new password by a code, and signs in with it', async () => {
    const { email, user } = await createUser(app);
    page = await app.visit(null);
    await page.goto('sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await fill('E-mail address', email);
    await press('Send code');
    await fill('Code', '000000');
    await fill('New password', 'another long password');
    await press('Save and sign in');
    await page.getByText('The code is wrong or no longer valid.', { exact: false }).waitFor();
    await fill('Code', await codeFor(email));
    await press('Save and sign in');
    await signedIn(user.username);
  });

  it('says that nobody can register, and that somebody is banned', async () => {
    const banned = await createUser(app, { status: 'banned' });
    const administrator = new AdminClient(app, account);
    await administrator.put('/admin/settings', { registration_enabled: false });
    page = await app.visit(null);
    await page.goto('register');
    await fill('E-mail address', newcomer().email);
    await press('Send code');
    await heading('No new accounts');
    await administrator.put('/admin/settings', { registration_enabled: true });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(banned.email, PASSWORD);
    await page.getByText('This account is banned.', { exact: false }).waitFor();
  });

  it('works with the keyboard alone', async () => {
    page = await app.visit(null);
    await page.goto('sign-in');
    await heading('Sign in');
    const focused = () => page.locator(':focus').getAttribute('name');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('email');
    await page.keyboard.type(account.email);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await signedIn(account.user.username);
  });

  it.each(['light', 'dark'] as const)('has nothing that axe finds, in %s colours', async (theme) => {
    page = await app.visit(null, { theme });
    for (const [path, title] of [
      ['sign-in', 'Sign in'],
      ['register', 'Create account'],
      ['reset-password', 'Choose a new password'],
    ] as const) {
      await page.goto(path);
      await heading(title);
      expect(await violations(page)).toEqual([]);
    }
    await fill('E-mail address', newcomer().email);
    await press('Send code');
    await page.getByLabel('Code').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it.each([
    ['de', 'Anmelden'],
    ['ja', 'ログイン'],
  ])('speaks the language of the browser: %s, and fits 320 pixels', async (language, title) => {
    page = await app.visit(null, { language, width: 320 });
    await page.goto('sign-in');
    await heading(title);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});
