import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { createUser, logIn } from '../support/accounts';
import { type Answer, call, expectFailure } from '../support/http';
import { newKey, type TestClaims } from '../support/servers/fake-issuer';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

describe('signing out with a provider', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure(PROVIDER_SETTINGS);
  });

  function logoutToken(claims: TestClaims, forgery: Parameters<SignInApp['issuer']['sign']>[1] = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: app.issuer.issuer, aud: 'chat', iat: now, exp: now + 120, jti: randomUUID(), events: EVENTS };
    return app.issuer.sign({ ...all, ...claims }, { header: { typ: 'logout+jwt' }, ...forgery });
  }

  function send(token: string): Promise<Answer> {
    return sendBody(new URLSearchParams({ logout_token: token }).toString(), FORM);
  }

  function sendBody(raw: string, type: string): Promise<Answer> {
    const headers = { 'content-type': type };
    return call(`${app.url}/auth/oidc/company/backchannel_logout`, { raw, method: 'POST', headers });
  }

  async function isIn(token: string): Promise<boolean> {
    return (await call(`${app.url}/auth/me`, { token })).status === 200;
  }

  async function codeOf(browser: SignInBrowser): Promise<string> {
    return (await browser.returnFrom('company')).get('login_code') ?? '';
  }

  it('ends the session that the provider names, and no other', async () => {
    app.newPerson({ sid: 'first' });
    const stranger = await app.signIn();
    const { sub } = app.newPerson({ sid: 'first' });
    const first = await app.signIn();
    app.issuer.person = { ...app.issuer.person, sid: 'second' };
    const second = await app.signIn();
    const answer = await send(logoutToken({ sub, sid: 'first' }));
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect([await isIn(first.token), await isIn(second.token), await isIn(stranger.token)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await send(logoutToken({ sid: 'second' }))).toMatchObject({ status: 200 });
    expect(await isIn(second.token)).toBe(false);
  });

  it('ends all sessions of the user, but none with a password', async () => {
    app.newPerson();
    const colleague = await app.signIn();
    const { sub } = app.newPerson({ sid: 'one' });
    const [first, second] = [await app.signIn(), await app.signIn()];
    const { access_token: password } = await logIn(app, first.user.id);
    const somebody = await createUser(app);
    expect(await send(logoutToken({ sub }))).toMatchObject({ status: 200 });
    expect([await isIn(first.token), await isIn(second.token)]).toEqual([false, false]);
    expect([await isIn(password), await isIn(somebody.token), await isIn(colleague.token)]).toEqual([true, true, true]);
    const refreshed = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: first.refreshToken } });
    expectFailure(refreshed, 401, 'REFRESH_TOKEN_INVALID');
  });

  it('ends a pending sign-in, and no other', async () => {
    const { sub } = app.newPerson({ sid: 'leaves' });
    const [leaves, stays] = [new SignInBrowser(app), new SignInBrowser(app)];
    const code = await codeOf(leaves);
    app.issuer.person = { ...app.issuer.person, sid: 'stays' };
    const other = await codeOf(stays);
    expect(await send(logoutToken({ sub, sid: 'leaves' }))).toMatchObject({ status: 200 });
    expectFailure(await leaves.exchange(code), 401, 'LOGIN_CODE_INVALID');
    expect((await stays.exchange(other)).status).toBe(200);
    const again = await codeOf(stays);
    expect(await send(logoutToken({ sub }))).toMatchObject({ status: 200 });
    expectFailure(await stays.exchange(again), 401, 'LOGIN_CODE_INVALID');
  });

  it('ends a sign-in that waits for one of our codes', async () => {
    app.newPerson({ sid: 'waits', email_verified: false });
    const browser = new SignInBrowser(app);
    const answer = await browser.exchange(await codeOf(browser));
    const { link_token } = expectFailure(answer, 409, 'IDENTITY_LINK_REQUIRED').details;
    const sendCode = () => browser.post('/auth/send_code', { purpose: 'link_identity', link_token });
    expect(await sendCode()).toMatchObject({ status: 200 });
    expect(await send(logoutToken({ sid: 'waits' }))).toMatchObject({ status: 200 });
    expectFailure(await sendCode(), 401, 'LOGIN_CODE_INVALID');
  });

  it('ends the session with a long id at the provider', async () => {
    const { sub } = app.newPerson({ sid: 'a'.repeat(300) });
    const first = await app.signIn();
    app.issuer.person = { ...app.issuer.person, sid: 'b'.repeat(300) };
    const second = await app.signIn();
    expect(await send(logoutToken({ sub, sid: 'a'.repeat(300) }))).toMatchObject({ status: 200 });
    expect([await isIn(first.token), await isIn(second.token)]).toEqual([false, true]);
    expect(await send(logoutToken({ sid: 'b'.repeat(300) }))).toMatchObject({ status: 200 });
    expect(await isIn(second.token)).toBe(false);
  });

  it("ends the session of a large company's provider by its own id", async () => {
    app.newPerson({ sid: 'one of many' });
    const { token, user } = await app.signIn();
    const of = { providerId: app.provider.id, issuer: app.issuer.issuer, userId: user.id, linkedAt: new Date() };
    // More than SQLite allows values in one statement.
    const many = Array.from({ length: 33_000 }, (_, index) => ({ ...of, subject: `one of many ${index}` }));
    await app.app.get(Database).write((manager) => insertBatch(manager, IdentityEntity, many));
    expect(await send(logoutToken({ sid: 'one of many' }))).toMatchObject({ status: 200 });
    expect(await isIn(token)).toBe(false);
  });

  it('accepts a token once, and an unknown user without effect', async () => {
    const token = logoutToken({ sub: 'nobody' });
    expect(await send(token)).toMatchObject({ status: 200 });
    expect(await send(token)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('accepts a clock difference of a minute', async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect((await send(logoutToken({ sub: 'nobody', iat: now + 50, exp: now + 200 }))).status).toBe(200);
    expect((await send(logoutToken({ sub: 'nobody', iat: now - 200, exp: now - 50 }))).status).toBe(200);
    expect((await send(logoutToken({ sub: 'nobody', iat: now + 90, exp: now + 200 }))).status).toBe(400);
    expect((await send(logoutToken({ sub: 'nobody', iat: now - 200, exp: now - 90 }))).status).toBe(400);
    expect((await send(logoutToken({ sub: 'nobody', iat: now - 3_600, exp: undefined }))).status).toBe(400);
  });

  it.each<[string, TestClaims, Parameters<SignInApp['issuer']['sign']>[1]]>([
    ['without an id', { jti: undefined }, {}],
    ['without an event', { events: undefined }, {}],
    ['of another event', { events: { other: {} } }, {}],
    ['with a nonce, as an ID token has', { nonce: 'x' }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['for another client', { aud: 'another' }, {}],
    ['of another issuer', { iss: 'https://evil.example' }, {}],
    ['without a time', { iat: undefined }, {}],
    ['without a signature', {}, { header: { alg: 'none' }, signature: '' }],
    ['signed by another key', {}, { key: newKey() }],
  ])('refuses a token %s', async (_what, claims, forgery) => {
    const { sub } = app.newPerson();
    const { token } = await app.signIn();
    const answer = await send(logoutToken({ sub, ...claims }, forgery));
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await isIn(token)).toBe(true);
  });

  it("refuses an invalid token, and no other provider's", async () => {
    expect((await send('')).status).toBe(400);
    expect((await send('a.b.c')).status).toBe(400);
    const answer = await call(`${app.url}/auth/oidc/nobody/backchannel_logout`, { body: { logout_token: 'x' } });
    expectFailure(answer, 404, 'IDENTITY_PROVIDER_NOT_FOUND');
  });

  it.each<[string, (token: string) => string, string]>([
    ['two tokens', (token) => `logout_token=${token}&logout_token=${token}`, FORM],
    ['a number', () => '{"logout_token":5}', JSON_TYPE],
    ['a list of one', (token) => JSON.stringify({ logout_token: [token] }), JSON_TYPE],
    ['null', () => 'null', JSON_TYPE],
    ['a list', (token) => JSON.stringify([token]), JSON_TYPE],
    ['too long a text', () => `logout_token=${'x'.repeat(12_001)}`, FORM],
    ['another field', (token) => `token=${token}`, FORM],
    ['JSON that is broken', () => '{', JSON_TYPE],
    ['half a character', () => '{"logout_token":"\\ud800"}', JSON_TYPE],
    ['nothing', () => '', FORM],
  ])('answers %s as the standard requires', async (_what, raw, type) => {
    const { sub } = app.newPerson();
    const { token } = await app.signIn();
    const answer = await sendBody(raw(logoutToken({ sub })), type);
    expect(answer).toMatchObject({ status: 400, text: '{"error":"invalid_request"}' });
    expect(answer.headers.get('content-type')).toContain(JSON_TYPE);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await isIn(token)).toBe(true);
  });

  it('ignores other fields next to the token', async () => {
    const raw = `logout_token=${logoutToken({ sub: 'nobody' })}&lang=${'x'.repeat(23)}`;
    expect(await sendBody(raw, FORM)).toMatchObject({ status: 200, text: '' });
    const json = JSON.stringify({ logout_token: logoutToken({ sub: 'nobody' }), lang: 7, more: [] });
    expect(await sendBody(json, JSON_TYPE)).toMatchObject({ status: 200, text: '' });
  });

  it('redirects the browser to the provider’s sign-out, if its rule requires it', async () => {
    app.newPerson();
    const logOut = (token: string): Promise<Answer<{ logout_url: string }>> =>
      call<{ logout_url: string }>(`${app.url}/auth/logout`, { method: 'POST', token });
    const { token } = await app.signIn();
    expect((await logOut(token)).body).not.toHaveProperty('logout_url');
    await app.configure({ logout: 'rp_initiated' });
    const again = await app.signIn();
    const { body } = await logOut(again.token);
    const { origin, pathname, searchParams } = new URL(body.logout_url);
    expect(origin + pathname).toBe(`${app.issuer.issuer}/logout`);
    const { id_token_hint: hint = '', ...query } = Object.fromEntries(searchParams);
    expect(query).toEqual({ client_id: 'chat', post_logout_redirect_uri: 'http://chat.example.com/console' });
    const { sub } = app.issuer.person;
    expect(JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      sub,
      aud: 'chat',
    });
    expect(await isIn(again.token)).toBe(false);
    app.newPerson({ groups: Array.from({ length: 500 }, (_, index) => `group ${index}`) });
    const large = await logOut((await app.signIn()).token);
    expect(new URL(large.body.logout_url).searchParams.get('id_token_hint')).toBeNull();
    const last = await app.signIn();
    await app.configure({ is_active: false });
    expect((await logOut(last.token)).body).not.toHaveProperty('logout_url');
    const account = await createUser(app);
    expect((await logOut(account.token)).body).not.toHaveProperty('logout_url');
  });
});
