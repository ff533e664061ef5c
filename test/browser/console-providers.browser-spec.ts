import { createUser, PASSWORD } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsolePage } from '../support/console-page';
import { FakeIssuer } from '../support/servers/fake-issuer';

describe('signing in to the console with a provider', () => {
  let issuer: FakeIssuer;
  let app: ConsoleApp;
  let at: ConsolePage;

  beforeAll(async () => {
    issuer = await FakeIssuer.start();
    app = await startConsoleApp({ OIDC_ALLOWED_HOSTS: issuer.host });
    const admin = await AdminClient.of(app);
    const { status } = await admin.post('/admin/identity_providers', {
      slug: 'company',
      name: 'Example Inc.',
      issuer: issuer.issuer,
      client_id: 'chat',
      client_secret: 'a-secret',
      jit: 'all',
    });
    expect(status).toBe(201);
  });

  beforeEach(async () => {
    issuer.handlers.clear();
    at = new ConsolePage(await app.visit(null));
  });

  afterEach(() => app.leave(at.page));

  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  const newPerson = (email: string, isVerified = true) =>
    (issuer.person = { sub: email, email, email_verified: isVerified, name: 'Ada Lovelace' });

  it('leads to the provider and back to the address that was wanted, and unlinks only where another way stays', async () => {
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
    await at.tells('This is the last way to sign in.');
    await at.page.reload();
    await at.heading('Password');
  });

  it('links an account by a code that is mailed', async () => {
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

  it('says why a sign-in failed, and leaves the password', async () => {
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
    await at.says('The sign-in was cancelled.');
    expect(new URL(at.page.url()).search).toBe('');
    await at.fill('E-mail address', email);
    await at.fill('Password', PASSWORD);
    await at.press('Sign in');
    await at.page.getByRole('button', { name: 'Signed in as' }).waitFor();
  });

  it('offers no password where passwords are off', async () => {
    await at.page.route('**/auth/providers', (route) =>
      route.fulfill({ json: { password_login: 'off', providers: [{ slug: 'company', name: 'Example Inc.' }] } }),
    );
    await at.load('sign-in', 'Sign in');
    await at.page.getByRole('button', { name: 'Sign in with Example Inc.' }).waitFor();
    expect(await at.page.getByLabel('Password').count()).toBe(0);
    expect(await at.page.getByRole('link', { name: 'Create account' }).count()).toBe(0);
  });
});
