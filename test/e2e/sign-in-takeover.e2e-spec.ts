// @databases mariadb: requests at the same time
import { randomUUID } from 'node:crypto';
import { createUser, type TestAccount } from '../support/accounts';
import { call, type ErrorAnswer } from '../support/http';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { type SignedIn, SignInBrowser } from '../support/sign-in-browser';

/** The target of an account takeover. */
type Known = 'nobody' | 'somebody' | 'administrator' | 'former administrator';

/** The provider's claims about the address. */
type Verified = 'yes' | 'yes as text' | 'no' | 'unsaid';

interface Case {
  known: Known;
  verified: Verified;
  isTrusted: boolean;
  /** Whether the account already has another identity from the same provider. */
  isLinked: boolean;
}

const CLAIMS: Record<Verified, object> = {
  yes: { email_verified: true },
  'yes as text': { email_verified: 'true' },
  no: { email_verified: false },
  unsaid: { email_verified: undefined },
};

const KNOWN: Known[] = ['nobody', 'somebody', 'administrator', 'former administrator'];
const CASES = KNOWN.flatMap((known) =>
  (Object.keys(CLAIMS) as Verified[]).flatMap((verified) =>
    [false, true].flatMap((isTrusted) =>
      (known === 'nobody' ? [false] : [false, true]).map((isLinked): Case => ({
        known,
        verified,
        isTrusted,
        isLinked,
      })),
    ),
  ),
);

/** The rule in other words: `new` creates an account, `link` takes over the account with the address. */
function expected({ known, verified, isTrusted, isLinked }: Case): 'new' | 'link' | 'prove' {
  const isProved = verified === 'unsaid' ? isTrusted : verified !== 'no';
  if (!isProved) {
    return 'prove';
  }
  if (known === 'nobody') {
    return 'new';
  }
  return isTrusted && known === 'somebody' && !isLinked ? 'link' : 'prove';
}

describe('the account that a first sign-in opens', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  /** The account with the address, as the case requires; null: no account. */
  async function prepare({ known, isLinked }: Case): Promise<TestAccount | null> {
    if (known === 'nobody') {
      return null;
    }
    const account = await createUser(app);
    if (isLinked) {
      await app.configure({ ...PROVIDER_SETTINGS, email_trusted: true });
      app.newPerson({ email: account.email });
      expect((await app.signIn()).user.id).toBe(account.user.id);
    }
    if (known !== 'somebody') {
      const path = `/admin/users/${account.user.id}`;
      expect(await app.admin.put(path, { user_type: 'admin' })).toMatchObject({ status: 200 });
      if (known === 'former administrator') {
        expect(await app.admin.put(path, { user_type: 'normal' })).toMatchObject({ status: 200 });
      }
    }
    return account;
  }

  it.each(CASES)('$known, verified $verified, trusted $isTrusted, linked $isLinked', async (one) => {
    const account = await prepare(one);
    await app.configure({ ...PROVIDER_SETTINGS, email_trusted: one.isTrusted });
    const { email } = app.newPerson({ ...(account && { email: account.email }), ...CLAIMS[one.verified] });
    const answer = await new SignInBrowser(app).signIn<SignedIn & ErrorAnswer>('company');
    const wanted = expected(one);
    if (wanted === 'prove') {
      expect(answer.status).toBe(409);
      expect(answer.body.error).toMatchObject({ code: 'IDENTITY_LINK_REQUIRED', details: { email } });
      return;
    }
    expect(answer.status).toBe(200);
    const { body: user } = await call<{ id: number; email: string }>(`${app.url}/auth/me`, {
      token: answer.body.access_token,
    });
    expect(user.email).toBe(email);
    expect(user.id === account?.user.id).toBe(wanted === 'link');
  });

  it.each([
    ['off', 'no_account'],
    ['domains', 'domain'],
  ])('creates no account if the rule is %s', async (jit, reason) => {
    await app.configure({ ...PROVIDER_SETTINGS, jit, allowed_domains: ['example.org'] });
    app.newPerson();
    const answer = await new SignInBrowser(app).signIn<ErrorAnswer>('company');
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'IDENTITY_NOT_ALLOWED', details: { reason } } },
    });
  });

  it('trusts no unproved domain', async () => {
    await app.configure({ ...PROVIDER_SETTINGS, jit: 'domains', allowed_domains: ['example.com'] });
    app.newPerson({ email_verified: false });
    const unproved = await new SignInBrowser(app).signIn<ErrorAnswer>('company');
    expect(unproved).toMatchObject({ status: 409, body: { error: { code: 'IDENTITY_LINK_REQUIRED' } } });
    app.newPerson({ email: 'eve@evil-example.com' });
    const similar = await new SignInBrowser(app).signIn<ErrorAnswer>('company');
    expect(similar).toMatchObject({ status: 403, body: { error: { details: { reason: 'domain' } } } });
    app.newPerson();
    expect(await app.signIn()).toBeDefined();
  });

  it.each([
    [false, 409],
    [true, 200],
  ])(
    'does not treat a verified address as proof of one in another claim: trusted %p',
    async (email_trusted, status) => {
      await app.configure({ ...PROVIDER_SETTINGS, email_trusted, claims: { email: 'preferred_username' } });
      for (const email of [`${randomUUID()}@example.com`, undefined]) {
        app.newPerson({ email, preferred_username: `${randomUUID()}@example.com` });
        expect((await new SignInBrowser(app).signIn('company')).status).toBe(status);
      }
      app.newPerson({ email_verified: false, preferred_username: `${randomUUID()}@example.com` });
      expect((await new SignInBrowser(app).signIn('company')).status).toBe(409);
      await app.configure({ claims: { email: 'email' } });
    },
  );

  it.each([undefined, '', 'no address', 'Ada <ada@example.com>', 'ada@example.com, eve@example.com', 7, null])(
    'does not treat %p as an address',
    async (email) => {
      await app.configure(PROVIDER_SETTINGS);
      app.newPerson({ email });
      const answer = await new SignInBrowser(app).signIn<ErrorAnswer>('company');
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: 'IDENTITY_NOT_ALLOWED', details: { reason: 'email_missing' } } },
      });
    },
  );

  it('signs in no user whose account is banned or closed', async () => {
    await app.configure(PROVIDER_SETTINGS);
    app.newPerson();
    const { user } = await app.signIn();
    await app.admin.post(`/admin/users/${user.id}/ban`, { reason: 'spam' });
    expect(await new SignInBrowser(app).signIn<ErrorAnswer>('company')).toMatchObject({
      status: 403,
      body: { error: { code: 'ACCOUNT_BANNED' } },
    });
    await app.admin.post(`/admin/users/${user.id}/unban`);
    expect((await app.signIn()).user.id).toBe(user.id);
    await app.admin.delete(`/admin/users/${user.id}`);
    expect(await new SignInBrowser(app).signIn<ErrorAnswer>('company')).toMatchObject({
      status: 403,
      body: { error: { code: 'IDENTITY_NOT_ALLOWED', details: { reason: 'account_closed' } } },
    });
  });

  it('adds no other sign-in method to an account from a provider, until an administrator does', async () => {
    await app.configure(PROVIDER_SETTINGS);
    const { email } = app.newPerson();
    const { user } = await app.signIn();
    await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'login' } });
    const path = `/admin/users/${user.id}`;
    expect(await app.admin.get(path)).toMatchObject({ body: { data: { local_login: false } } });
    expect(await app.admin.put(path, { local_login: true })).toMatchObject({ body: { data: { local_login: true } } });
    await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'login' } });
    const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
    expect(app.mails.mailsTo(email).filter(({ text }) => /\b\d{6}\b/.test(text ?? ''))).toEqual([mail]);
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0];
    expect(await call(`${app.url}/auth/login`, { body: { email, verification_code: code } })).toMatchObject({
      status: 200,
    });
  });
});
