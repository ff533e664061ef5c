import { createUser, newcomer, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { OTHER_MACHINE } from '../support/browser-flags';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';

/** The page sends this number of requests when a user signs in with wrong passwords. */
const failToSignIn = (email: string, count: number): string => `(async () => {
  for (let failures = 0; failures < ${count}; failures++) {
    const body = JSON.stringify({ email: '${email}', password: 'wrong password ' + failures, session: 'cookie' });
    const { status } = await fetch('/api/v1/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    if (status !== 401) throw new Error('Failure ' + failures + ' is answered with ' + status);
  }
})()`;

describe('the sign-in pages of the console', () => {
  let app: ConsoleApp;
  let account: TestAccount;
  let at: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ CODE_RESEND_SECONDS: '60' });
    account = await createUser(app, { userType: 'admin' });
  });

  afterEach(() => app.leave(at.page));

  afterAll(() => app.close());

  const signedIn = (name: string) => at.page.getByRole('button', { name: `Signed in as ${name}` }).waitFor();

  async function enterPassword(email: string, password: string): Promise<void> {
    await at.fill('E-mail address', email);
    await at.fill('Password', password);
    await at.press('Sign in');
  }

  /** The newest code in the mails to an address. */
  async function codeFor(email: string): Promise<string> {
    const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
    return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
  }

  it('sign in with a password, open the requested address, and keep the session', async () => {
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('account/sessions');
    await at.heading('Sign in');
    await enterPassword(account.email, PASSWORD);
    await at.heading('Sessions');
    expect(new URL(at.page.url()).pathname).toBe('/console/account/sessions');
    await at.page.reload();
    await at.heading('Sessions');
  });

  it('sign in users over plain http from another machine, until they reload', async () => {
    at = new ConsolePage(await app.visit(null));
    await at.page.goto(app.origin.replace('127.0.0.1', OTHER_MACHINE) + '/console/sign-in');
    await at.page.getByText('This connection is not encrypted (http)').waitFor();
    expect(await violations(at.page)).toEqual([]);
    await enterPassword(account.email, PASSWORD);
    await signedIn(account.user.username);
    await at.page.getByRole('link', { name: 'Account' }).click();
    await at.heading('Profile');
    expect((await at.page.context().cookies()).map(({ name }) => name)).toEqual(['device']);
    await at.page.reload();
    await at.heading('Sign in');
  });

  it('wait as long as the service demands, and then continue automatically', async () => {
    at = new ConsolePage(await app.visit(account));
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', retry_after: 1 };
    await at.page.route(
      '**/auth/refresh_token',
      (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { success: false, error } }),
      { times: 1 },
    );
    await at.page.goto('account/profile');
    await at.page.getByRole('alert').getByText('Too many requests.').waitFor();
    await at.heading('Profile');
  });

  it('keep the requested address when the user goes to another sign-in page', async () => {
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('account/usage');
    await at.page.getByRole('link', { name: 'Create account' }).click();
    await at.heading('Create account');
    await at.page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(account.email, PASSWORD);
    await at.heading('Usage and plan');
  });

  it('report a wrong password, and keep the address', async () => {
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('sign-in');
    await enterPassword(account.email, 'not the password');
    expect(await at.page.getByRole('alert').textContent()).toBe(
      'The email address or password is wrong. Check both and try again.',
    );
    expect(await at.page.getByLabel('E-mail address').inputValue()).toBe(account.email);
    await at.press('Show password');
    expect(await at.page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
  });

  it('offer a code when the password is locked, and sign in with it', async () => {
    const { email, user } = await createUser(app);
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('sign-in');
    await at.fill('E-mail address', email);
    await at.page.evaluate(failToSignIn(email, 9));
    for (let failures = 9; failures <= 10; failures++) {
      await at.fill('Password', `wrong password ${failures}`);
      const answer = at.page.waitForResponse('**/auth/login');
      await at.press('Sign in');
      await answer;
    }
    await at.page.getByText('Sign in with a code instead.').waitFor();
    await at.page.getByRole('button', { name: 'Get a code by e-mail instead' }).first().click();
    await at.heading('Sign in with a code');
    await at.press('Send code');
    await at.fill('Code', await codeFor(email));
    await at.press('Sign in');
    await signedIn(user.username);
  });

  it('register with a code by mail, and show errors at the field', async () => {
    const { email, username } = newcomer();
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('register');
    await at.fill('E-mail address', email);
    await at.press('Send code');
    expect(await at.page.getByRole('button', { name: /^Resend in/ }).isDisabled()).toBe(true);
    await at.fill('Code', await codeFor(email));
    await at.fill('Username', account.user.username);
    await at.fill('Password', 'password');
    await at.press('Create account');
    await at.page.getByText('This password is too common', { exact: false }).waitFor();
    await at.fill('Password', PASSWORD);
    await at.press('Create account');
    await at.page.getByText('This username is already taken. Choose another one.').waitFor();
    const field = at.page.getByLabel('Username', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await at.page.locator(':focus').getAttribute('name')).toBe('username');
    await at.fill('Username', username);
    await at.press('Create account');
    await signedIn(username);
    expect(new URL(at.page.url()).pathname).toBe('/console/chat');
  });

  it('accept the code in the mailbox when another one was requested too soon', async () => {
    const { email, user } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('sign-in');
    await at.press('Get a code by e-mail instead');
    await at.fill('E-mail address', email);
    await at.press('Send code');
    await at.page.getByText('Too many codes were requested.', { exact: false }).waitFor();
    await at.fill('Code', code);
    await at.press('Sign in');
    await signedIn(user.username);
  });

  it('set a new password with a code, and sign in with it', async () => {
    const { email, user } = await createUser(app);
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('sign-in');
    await at.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await at.fill('E-mail address', email);
    await at.press('Send code');
    await at.fill('Code', '000000');
    await at.fill('New password', 'another long password');
    await at.press('Save and sign in');
    await at.page.getByText('The code is wrong or has expired.', { exact: false }).waitFor();
    await at.fill('Code', await codeFor(email));
    await at.press('Save and sign in');
    await signedIn(user.username);
  });

  it('explain that registration is closed, and that a user is banned', async () => {
    const banned = await createUser(app, { status: 'banned' });
    const administrator = new AdminClient(app, account);
    await administrator.put('/admin/settings', { registration_enabled: false });
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('register');
    await at.fill('E-mail address', newcomer().email);
    await at.press('Send code');
    await at.heading('Sign-up is closed');
    await administrator.put('/admin/settings', { registration_enabled: true });
    await at.page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(banned.email, PASSWORD);
    await at.page.getByText('This account is banned.', { exact: false }).waitFor();
  });

  it('work with the keyboard alone', async () => {
    at = new ConsolePage(await app.visit(null));
    await at.page.goto('sign-in');
    await at.page.locator('h1:focus', { hasText: 'Sign in' }).waitFor();
    const focused = () => at.page.locator(':focus').getAttribute('name');
    await at.page.keyboard.press('Tab');
    expect(await focused()).toBe('email');
    await at.page.keyboard.type(account.email);
    await at.page.keyboard.press('Tab');
    expect(await focused()).toBe('password');
    await at.page.keyboard.type(PASSWORD);
    await at.page.keyboard.press('Enter');
    await signedIn(account.user.username);
  });

  it.each([
    ['de', 'Anmelden'],
    ['ja', 'ログイン'],
  ])('use the language of the browser: %s, and fit 320 pixels', async (language, title) => {
    at = new ConsolePage(await app.visit(null, { language, width: 320 }));
    await at.page.goto('sign-in');
    await at.heading(title);
    expect(await at.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  it('register a user with an invitation while registration is closed', async () => {
    const admin = await AdminClient.of(app);
    await admin.put('/admin/settings', { registration_enabled: false });
    at = new ConsolePage(await app.visit(account));
    await at.load('admin/users', 'Users');
    await at.press('Invite');
    await at.answer('Create link');
    const link = await at.dialog.getByLabel('Link', { exact: true }).inputValue();
    await at.dialog.getByText('Anyone with the link').waitFor();
    // Its author may no longer be an administrator: then another administrator revokes it.
    await at.dialog.getByText('Created by').getByRole('link').waitFor();
    expect(await new ConsoleLooks(at.page).faults('invitations', LANGUAGES)).toEqual([]);
    await app.leave(at.page);

    at = new ConsolePage(await app.visit(null));
    await at.page.goto(link);
    const { email, username } = newcomer();
    await at.fill('E-mail address', email);
    await at.press('Send code');
    await at.fill('Code', await codeFor(email));
    await at.fill('Username', username);
    await at.fill('Password', PASSWORD);
    await at.press('Create account');
    await signedIn(username);
    await admin.put('/admin/settings', { registration_enabled: true });
  });
});
