import { createUser, PASSWORD } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { FakeIssuer } from '../support/servers/fake-issuer';

describe('console sign-in with a provider', () => {
  let issuer: FakeIssuer;
  let app: ConsoleApp;
  let at: ConsolePage;
  let admin: AdminClient;
  let provider: number;

  beforeAll(async () => {
    issuer = await FakeIssuer.start();
    app = await startConsoleApp({ OIDC_ALLOWED_HOSTS: issuer.host });
    admin = await AdminClient.of(app);
    const { status, body } = await admin.post<{ id: number }>('/admin/identity_providers', {
      slug: 'company',
      name: 'Example Inc.',
      issuer: issuer.issuer,
      client_id: 'chat',
      client_secret: 'a-secret',
      jit: 'all',
    });
    expect(status).toBe(201);
    provider = body.data.id;
  });

  beforeEach(async () => {
    issuer.reset();
    app.resetClock();
    at = new ConsolePage(await app.visit(null));
  });

  afterEach(() => app.leave(at.page));

  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  const newPerson = (email: string, isVerified = true) =>
    (issuer.person = { sub: email, email, email_verified: isVerified, name: 'Ada Lovelace' });

  it('redirects to the provider and back to the requested address, and unlinks only if another sign-in method remains', async () => {
    newPerson('first@example.com');
    await at.load('account/password', 'Sign in');
    expect(await violations(at.page)).toEqual([]);
    await at.press('Sign in with Example Inc.');
    await at.heading('Password');
    expect(new URL(at.page.url()).search).toBe('');
    await at.tells('first@example.com · linked');
    expect(await violations(at.page)).toEqual([]);
    await at.press('Unlink “Example Inc.”');
    await at.answer('Unlink');
    await at.tells('This is your only way to sign in.');
    await at.page.reload();
    await at.heading('Password');
  });

  it('links another identity immediately, and after ten minutes only with the password or a code', async () => {
    const { user, email } = await createUser(app);
    await app.leave(at.page);
    at = new ConsolePage(await app.visit({ user }));
    newPerson('elsewhere@example.com');
    await at.load('account/password', 'Password');
    await at.says('Link one of these providers to sign in with it.');
    await at.press('Link “Example Inc.”');
    await at.says('Linked. You can now sign in with this account.');
    await at.heading('Password');
    await at.tells('elsewhere@example.com · linked');
    expect(await at.page.getByRole('button', { name: 'Link “Example Inc.”', exact: true }).count()).toBe(0);
    expect(await violations(at.page)).toEqual([]);
    await at.press('Unlink “Example Inc.”');
    await at.answer('Unlink');

    app.advanceClock(601_000);
    const seconds = Math.floor(Date.now() / 1_000);
    issuer.forgery = { claims: { iat: seconds + 601, exp: seconds + 900 } };
    await at.press('Link “Example Inc.”');
    await at.dialog.getByLabel('Current password').fill('not the password');
    await at.answer('Continue');
    await at.says('The current password is incorrect.');
    expect(await violations(at.page)).toEqual([]);
    await at.answer('Get a code by e-mail instead');
    const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
    await at.dialog.getByLabel('Code', { exact: true }).fill(/\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '');
    expect(await violations(at.page)).toEqual([]);
    await at.answer('Continue');
    await at.tells('elsewhere@example.com · linked');
    await at.press('Unlink “Example Inc.”');
    await at.answer('Unlink');
    await at.press('Link “Example Inc.”');
    await at.dialog.getByLabel('Current password').fill(PASSWORD);
    await at.answer('Continue');
    await at.tells('elsewhere@example.com · linked');
  });

  it('shows that an identity belongs to another account', async () => {
    newPerson('taken@example.com');
    await at.load('sign-in', 'Sign in');
    await at.press('Sign in with Example Inc.');
    await at.page.getByRole('button', { name: 'Signed in as' }).waitFor();
    await app.leave(at.page);
    const { user } = await createUser(app);
    at = new ConsolePage(await app.visit({ user }));
    await at.load('account/password', 'Password');
    await at.press('Link “Example Inc.”');
    await at.tells('This identity is linked to another account.');
    expect(await violations(at.page)).toEqual([]);
  });

  it('signs in and out in all tabs, and at the provider if its rule requires it', async () => {
    await admin.put(`/admin/identity_providers/${provider}`, { logout: 'rp_initiated' });
    newPerson('tabs@example.com');
    await at.load('sign-in', 'Sign in');
    const other = new ConsolePage(await at.page.context().newPage());
    await other.load('account/profile', 'Sign in');
    await at.press('Sign in with Example Inc.');
    await at.page.getByRole('button', { name: 'Signed in as' }).waitFor();
    await other.heading('Profile');
    let left = '';
    issuer.handlers.set('/logout', (request, response) => {
      left = request.url ?? '';
      const back = new URL(left, issuer.issuer).searchParams.get('post_logout_redirect_uri') ?? '';
      response.writeHead(302, { location: back }).end();
    });
    await other.page.getByRole('button', { name: 'Signed in as' }).click();
    await other.press('Sign out');
    await other.heading('Sign in');
    await at.heading('Sign in');
    expect(new URL(left, issuer.issuer).searchParams.get('client_id')).toBe('chat');
    await other.load('account/profile', 'Sign in');
    await admin.put(`/admin/identity_providers/${provider}`, { logout: 'none' });
  });

  it('links an account by a mailed code', async () => {
    const { email } = await createUser(app);
    newPerson(email, false);
    await at.load('sign-in', 'Sign in');
    await at.press('Sign in with Example Inc.');
    await at.heading('Confirm your address');
    await at.tells(email);
    expect(await violations(at.page)).toEqual([]);
    await at.press('Send code');
    const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
    await at.fill('Code', /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '');
    await at.press('Sign in');
    await at.page.getByRole('button', { name: 'Signed in as' }).waitFor();
  });

  it('shows why a sign-in failed, and still offers the password', async () => {
    const { email } = await createUser(app);
    issuer.handlers.set('/authorize', (request, response) => {
      const asked = new URL(request.url ?? '', issuer.issuer).searchParams;
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({
        error: 'access_denied',
        state: asked.get('state') ?? '',
        iss: issuer.issuer,
      }).toString();
      response.writeHead(302, { location: back.href }).end();
    });
    await at.load('sign-in', 'Sign in');
    await at.press('Sign in with Example Inc.');
    await at.says('Sign-in was cancelled.');
    expect(new URL(at.page.url()).search).toBe('');
    await at.fill('E-mail address', email);
    await at.fill('Password', PASSWORD);
    await at.press('Sign in');
    await at.page.getByRole('button', { name: 'Signed in as' }).waitFor();
  });

  it('offers no password if passwords are off', async () => {
    await at.page.route('**/bootstrap/sign-in', async (route) => {
      const response = await route.fetch();
      const ways = { password_login: 'off', providers: [{ slug: 'company', name: 'Example Inc.' }] };
      await route.fulfill({ response, json: { ...((await response.json()) as object), sign_in: ways } });
    });
    await at.load('sign-in', 'Sign in');
    await at.page.getByRole('button', { name: 'Sign in with Example Inc.' }).waitFor();
    expect(await at.page.getByLabel('Password').count()).toBe(0);
    expect(await at.page.getByRole('link', { name: 'Create account' }).count()).toBe(0);
  });
});
