import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import type { IdentityDto } from '../../src/modules/identity/identities/identity.dto';
import { createUser, newcomer, PASSWORD, receiveCode } from '../support/accounts';
import { type Answer, call, type ErrorAnswer, expectFailure } from '../support/http';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { type SignedIn, SignInBrowser } from '../support/sign-in-browser';
import { codeFromMail, wrongCode } from '../support/sign-in-client';

describe('linking identities', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure(PROVIDER_SETTINGS);
  });

  /** Signs in a user whose address must be proved; returns the link token. */
  async function linkToken(browser: SignInBrowser): Promise<string> {
    const refused = expectFailure(await browser.signIn('company'), 409, 'IDENTITY_LINK_REQUIRED');
    return refused.details.link_token as string;
  }

  function sendCode(browser: SignInBrowser, token: string): Promise<Answer> {
    return browser.post('/auth/send_code', { purpose: 'link_identity', link_token: token });
  }

  function link(browser: SignInBrowser, token: string, code: string, verifier = browser.verifier): Promise<Answer> {
    const body = { link_token: token, verification_code: code, code_verifier: verifier };
    return browser.post('/auth/oidc/link', body);
  }

  function identities(token: string): Promise<IdentityDto[]> {
    return call<IdentityDto[]>(`${app.url}/user/identities`, { token }).then(({ body }) => body);
  }

  describe('by a code', () => {
    it('links the account that has the address, and notifies its owner who is signing in', async () => {
      const account = await createUser(app);
      const { sub } = app.newPerson({ email: account.email, email_verified: false, name: 'Mallory at evil.example/x' });
      const browser = new SignInBrowser(app);
      const [token, other] = [await linkToken(browser), await linkToken(browser)];
      expect(await sendCode(browser, token)).toMatchObject({ status: 200 });
      const mail = await app.mails.waitForMail(account.email);
      expect(mail.text).toContain('Example Inc.');
      expect(mail.text).toContain('Mallory at evil example x');
      expect(mail.subject).not.toMatch(/\d{6}/);
      const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
      expectFailure(await link(browser, token, wrongCode(code)), 400, 'INVALID_CODE');
      const linked = await link(browser, token, code);
      expect(linked.status).toBe(200);
      const { access_token: session } = linked.body as SignedIn;
      expect(await app.me(session)).toMatchObject({ id: account.user.id });
      const known = { slug: 'company', issuer: app.issuer.issuer, subject: sub, email: account.email };
      expect(await identities(session)).toMatchObject([{ ...known, last_used_at: expect.any(String) as string }]);
      const told = await app.mails.waitForMail(account.email);
      expect(told.text).toContain('Example Inc.');
      expectFailure(await link(browser, token, code), 401, 'LOGIN_CODE_INVALID');
      expectFailure(await link(browser, other, code), 400, 'INVALID_CODE');
      expect(await app.signIn()).toMatchObject({ user: { id: account.user.id } });
    });

    it('creates an account for an unused address, which is assigned only now', async () => {
      const { email } = app.newPerson({ email_verified: 'false' });
      const browser = new SignInBrowser(app);
      const token = await linkToken(browser);
      await sendCode(browser, token);
      const linked = await link(browser, token, await codeFromMail(app, email));
      expect(linked.status).toBe(200);
      expect(await app.me((linked.body as SignedIn).access_token)).toMatchObject({ email });
    });

    it('is for the initial page only', async () => {
      const account = await createUser(app);
      app.newPerson({ email: account.email, email_verified: false });
      const browser = new SignInBrowser(app);
      const token = await linkToken(browser);
      await sendCode(browser, token);
      const code = await codeFromMail(app, account.email);
      expectFailure(await link(browser, token, wrongCode(code), 'x'.repeat(43)), 401, 'LOGIN_CODE_INVALID');
      expectFailure(await link(browser, token, code), 401, 'LOGIN_CODE_INVALID');
    });

    it('does not accept the code of another identity with the same address', async () => {
      const account = await createUser(app);
      app.newPerson({ email: account.email, email_verified: false });
      const owner = new SignInBrowser(app);
      const own = await linkToken(owner);
      app.newPerson({ email: account.email, email_verified: false });
      const stranger = new SignInBrowser(app);
      const foreign = await linkToken(stranger);
      await sendCode(owner, own);
      const code = await codeFromMail(app, account.email);
      expectFailure(await link(stranger, foreign, code), 400, 'INVALID_CODE');
      expect(await link(owner, own, code)).toMatchObject({ status: 200 });
    });

    it('sends no mail if a correct code would have no effect', async () => {
      await app.configure({ jit: 'off' });
      const { email } = app.newPerson({ email_verified: false });
      const browser = new SignInBrowser(app);
      expect(await sendCode(browser, await linkToken(browser))).toMatchObject({ status: 200 });
      const account = await createUser(app);
      await receiveCode(app, account.email, 'login');
      expect(app.mails.mailsTo(email)).toEqual([]);
    });

    it('refuses unknown link tokens', async () => {
      const browser = new SignInBrowser(app);
      expectFailure(await sendCode(browser, 'x'.repeat(43)), 401, 'LOGIN_CODE_INVALID');
      expectFailure(await link(browser, 'x'.repeat(43), '123456'), 401, 'LOGIN_CODE_INVALID');
      expectFailure(await browser.post('/auth/send_code', { purpose: 'link_identity' }), 422, 'VALIDATION_ERROR');
      expectFailure(await browser.post('/auth/send_code', { purpose: 'login' }), 422, 'VALIDATION_ERROR');
    });
  });

  describe('while signed in', () => {
    async function start(token: string, proof: object = {}): Promise<{ browser: SignInBrowser; answer: Answer }> {
      const browser = new SignInBrowser(app);
      const body = { slug: 'company', return_to: '/console', code_challenge: browser.challenge, ...proof };
      return { browser, answer: await browser.post('/user/identities/start', body, token) };
    }

    async function finish(browser: SignInBrowser, answer: Answer): Promise<Answer<{ identity: IdentityDto }>> {
      const { authorization_url: url } = answer.body as { authorization_url: string };
      const arrived = await browser.go(await browser.answerOf(url));
      const code = new URL(arrived.headers.get('location') ?? '', 'http://service').searchParams.get('login_code');
      return browser.exchange(code ?? '');
    }

    it('links any address that the provider returns', async () => {
      const account = await createUser(app);
      const { sub } = app.newPerson({ email: 'another@example.com' });
      const { browser, answer } = await start(account.token);
      expect(answer.status).toBe(200);
      const linked = await finish(browser, answer);
      expect(linked).toMatchObject({ status: 200, body: { identity: { subject: sub, slug: 'company' } } });
      expect(await app.signIn()).toMatchObject({ user: { id: account.user.id, email: account.email } });
    });

    it('requires a proof ten minutes after the sign-in', async () => {
      const account = await createUser(app);
      app.newPerson();
      app.advanceClock(601_000);
      try {
        expectFailure((await start(account.token)).answer, 422, 'VALIDATION_ERROR');
        expectFailure((await start(account.token, { password: 'not this one' })).answer, 401, 'INVALID_CREDENTIALS');
        expect((await start(account.token, { password: PASSWORD })).answer.status).toBe(200);
        const code = await receiveCode(app, account.email, 'login');
        expectFailure((await start(account.token, { verification_code: wrongCode(code) })).answer, 400, 'INVALID_CODE');
        expect((await start(account.token, { verification_code: code })).answer.status).toBe(200);
        expectFailure((await start(account.token, { verification_code: code })).answer, 400, 'INVALID_CODE');
      } finally {
        app.resetClock();
      }
    });

    it('does not take an identity from another account', async () => {
      app.newPerson();
      await app.signIn();
      const account = await createUser(app);
      const { browser, answer } = await start(account.token);
      expectFailure(await finish(browser, answer), 409, 'IDENTITY_TAKEN');
    });

    it('links nothing once its initial session has ended, such as after a new password', async () => {
      const account = await createUser(app);
      app.newPerson();
      const { browser, answer } = await start(account.token);
      const code = await receiveCode(app, account.email, 'reset_password');
      const body = { email: account.email, code, new_password: `new ${PASSWORD}` };
      expect((await call(`${app.url}/auth/reset_password`, { body })).status).toBe(200);
      expectFailure(await finish(browser, answer), 401, 'SESSION_REVOKED');
      expect((await app.signIn()).user.id).not.toBe(account.user.id);
    });

    it('redirects back to known pages only', async () => {
      const account = await createUser(app);
      const { answer } = await start(account.token, { return_to: 'https://evil.example/' });
      expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'return_to' });
    });
  });

  it('is sent to webhooks and to the feed, and so is unlinking', async () => {
    const told: DomainEvent[] = [];
    for (const type of ['identity.linked', 'identity.unlinked']) {
      app.app.get(DomainEvents).on(type, (event) => Promise.resolve(void told.push(event)));
    }
    await app.configure({ email_trusted: true });
    const account = await createUser(app);
    const { sub: subject } = app.newPerson({ email: account.email });
    await app.signIn();
    const [identity] = await identities(account.token);
    const id = identity?.id ?? 0;
    await call(`${app.url}/user/identities/${id}`, { method: 'DELETE', token: account.token });
    const data = { user_id: account.user.id, identity_id: id, issuer: app.issuer.issuer, subject };
    expect(told.map(({ type, userId, data: of }) => [type, userId, of])).toEqual([
      ['identity.linked', account.user.id, data],
      ['identity.unlinked', account.user.id, data],
    ]);
  });

  describe('unlinking', () => {
    function unlink(token: string, id: number): Promise<Answer> {
      return call(`${app.url}/user/identities/${id}`, { method: 'DELETE', token });
    }

    it('ends the sessions of the identity, which can link again only by a code', async () => {
      await app.configure({ email_trusted: true });
      const account = await createUser(app);
      app.newPerson({ email: account.email });
      const { token } = await app.signIn();
      const [identity] = await identities(account.token);
      expect(await unlink(account.token, identity?.id ?? 0)).toMatchObject({ status: 200 });
      expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
      expect((await call(`${app.url}/auth/me`, { token: account.token })).status).toBe(200);
      const browser = new SignInBrowser(app);
      app.issuer.person = { ...app.issuer.person, email: newcomer().email };
      await linkToken(browser);
      app.issuer.person = { ...app.issuer.person, email: account.email };
      const again = await linkToken(browser);
      await sendCode(browser, again);
      const mail = await app.mails.waitForMail(account.email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
      const linked = await link(browser, again, /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '');
      expect(linked.status).toBe(200);
      expect(await app.me((linked.body as SignedIn).access_token)).toMatchObject({ id: account.user.id });
    });

    it('keeps the last sign-in method', async () => {
      app.newPerson();
      const { token } = await app.signIn();
      const [identity] = await identities(token);
      expectFailure(await unlink(token, identity?.id ?? 0), 409, 'LAST_LOGIN_METHOD');
    });

    it("finds only the user's own identities", async () => {
      app.newPerson();
      const { token } = await app.signIn();
      const [identity] = await identities(token);
      const account = await createUser(app);
      expectFailure(await unlink(account.token, identity?.id ?? 0), 404, 'IDENTITY_NOT_FOUND');
      expect(((await unlink(token, 999_999)).body as ErrorAnswer).error.code).toBe('IDENTITY_NOT_FOUND');
    });
  });
});
