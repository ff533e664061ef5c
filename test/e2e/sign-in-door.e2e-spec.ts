import { randomUUID } from 'node:crypto';
import { createUser } from '../support/accounts';
import { type Answer, call } from '../support/http';
import { newKey, type TestClaims } from '../support/servers/fake-issuer';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';

describe('a provider’s access token at /openai/v1', () => {
  let app: SignInApp;
  let sub: string;
  let userId: number;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    const accept_tokens = { audience: 'https://chat.example.com', authorized_parties: ['cli'] };
    await app.configure({ ...PROVIDER_SETTINGS, accept_tokens });
    app.issuer.reset();
    ({ sub } = app.newPerson());
    userId = (await app.signIn()).user.id;
  });

  function token(changes: TestClaims = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: app.issuer.issuer,
      sub,
      aud: 'https://chat.example.com',
      azp: 'cli',
      iat: now,
      exp: now + 300,
    };
    return app.issuer.sign({ ...claims, jti: randomUUID(), ...changes }, { header: { typ: 'at+jwt' } });
  }

  function models(as: string): Promise<Answer> {
    return call(`${app.origin}/openai/v1/models`, { token: as });
  }

  it('is valid for its user, and nowhere else', async () => {
    expect(await models(token())).toMatchObject({ status: 200 });
    expect(await models(token({ azp: undefined, client_id: 'cli' }))).toMatchObject({ status: 200 });
    expect(await models(token({ aud: ['another', 'https://chat.example.com'] }))).toMatchObject({ status: 200 });
    expect((await call(`${app.url}/auth/me`, { token: token() })).status).toBe(401);
    expect((await call(`${app.url}/chat`, { token: token() })).status).toBe(401);
  });

  it.each<[string, TestClaims]>([
    ['has expired', { exp: 1 }],
    ['has no expiry', { exp: undefined }],
    ['is for another audience', { aud: 'https://another.example.com' }],
    ['is for this client, as an ID token is', { aud: ['https://chat.example.com', 'chat'] }],
    ['has a nonce, as an ID token has', { nonce: 'x' }],
    ['has a hash of an access token, as an ID token has', { at_hash: 'x' }],
    ['contains events, like a logout token', { events: {} }],
    ['is for another client', { azp: 'another' }],
    ['is for another client that acts for a third one', { azp: 'another', client_id: 'cli' }],
    ['names no client', { azp: undefined }],
    ['belongs to no user', { sub: undefined }],
    ['belongs to an unknown user', { sub: 'nobody' }],
    ['is from another issuer', { iss: 'https://evil.example' }],
  ])('is refused if it %s', async (_what, changes) => {
    expect((await models(token(changes))).status).toBe(401);
    expect((await models(token())).status).toBe(200);
  });

  it('is refused if another key signed it, or none', async () => {
    const claims = JSON.parse(Buffer.from(token().split('.')[1] ?? '', 'base64url').toString()) as TestClaims;
    expect((await models(app.issuer.sign(claims, { key: newKey() }))).status).toBe(401);
    expect((await models(app.issuer.sign(claims, { header: { alg: 'none' }, signature: '' }))).status).toBe(401);
    for (const text of [
      'a.b',
      'a.b.c',
      'a.e30.c',
      `a.${Buffer.from('null').toString('base64url')}.c`,
      'x'.repeat(9_000),
    ]) {
      expect((await models(text)).status).toBe(401);
    }
  });

  it('is refused as soon as its user has lost access', async () => {
    const good = token();
    expect((await models(good)).status).toBe(200);
    await app.admin.post(`/admin/users/${userId}/ban`, { reason: 'spam' });
    expect((await models(good)).status).toBe(401);
    await app.admin.post(`/admin/users/${userId}/unban`);
    expect((await models(good)).status).toBe(200);
    await app.configure({ is_active: false });
    expect((await models(good)).status).toBe(401);
    await app.configure({ is_active: true, accept_tokens: null });
    expect((await models(good)).status).toBe(401);
  });

  it('is refused once its identity is unlinked', async () => {
    await app.configure({ email_trusted: true });
    const account = await createUser(app);
    ({ sub } = app.newPerson({ email: account.email }));
    await app.signIn();
    const good = token();
    expect((await models(good)).status).toBe(200);
    const { body } = await call<{ id: number }[]>(`${app.url}/user/identities`, { token: account.token });
    await call(`${app.url}/user/identities/${body[0]?.id}`, { method: 'DELETE', token: account.token });
    expect((await models(good)).status).toBe(401);
  });
});
