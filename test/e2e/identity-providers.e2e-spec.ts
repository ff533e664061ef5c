// @databases mariadb: two instances share one database
import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import type { IdentityProviderDto } from '../../src/modules/identity/administration/provider.dto';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { type Answer, call, expectFailure } from '../support/http';
import { CLIENT_SECRET, PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startInstance, startTestApp } from '../support/test-app';

const PATH = '/admin/identity_providers';

describe('the administration of identity providers', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  function newProvider(more: object = {}): object {
    const slug = `p-${randomUUID().slice(0, 8)}`;
    return { slug, name: 'Another', issuer: `https://${slug}.example.com`, client_id: 'chat', ...more };
  }

  async function create(more: object = {}): Promise<IdentityProviderDto> {
    const answer = await app.admin.post<IdentityProviderDto>(PATH, newProvider(more));
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    return answer.body.data;
  }

  /** The error for a body: field and rule. */
  async function faultOf(answering: Promise<Answer>): Promise<string> {
    const { field, reason } = expectFailure(await answering, 422, 'VALIDATION_ERROR').details;
    return `${field as string}: ${reason as string}`;
  }

  it('lists, creates, reads, changes and deletes them, and never shows a secret', async () => {
    const made = await create({ client_secret: 'top-secret', scopes: 'openid email' });
    expect(made).toMatchObject({
      has_client_secret: true,
      scopes: 'openid email',
      claims: { email: 'email', name: 'name', groups: 'groups' },
      claim_source: 'id_token',
      email_trusted: false,
      jit: 'off',
      groups_overage: 'refuse',
      logout: 'none',
      scim_match: 'sub',
      session_max_age: 604_800,
      key_days: null,
      accept_tokens: null,
      is_active: true,
      managed_by: 'admin',
      redirect_uri: `http://chat.example.com/api/v1/auth/oidc/${made.slug}/callback`,
    });
    const path = `${PATH}/${made.id}`;
    const changed = await app.admin.put<IdentityProviderDto>(path, { slug: 'other', claims: { groups: 'roles' } });
    expect(changed.body.data).toMatchObject({
      slug: made.slug,
      claims: { email: 'email', name: 'name', groups: 'roles' },
      has_client_secret: true,
    });
    expect((await app.admin.get(path)).body.data).toEqual(changed.body.data);
    const listed = await app.admin.items<IdentityProviderDto>(PATH);
    expect(listed.map(({ slug }) => slug)).toEqual(['company', made.slug]);
    expect(JSON.stringify([made, changed.body, listed])).not.toContain('top-secret');
    const entries = await app.admin.entriesOf(changed);
    expect(entries).toMatchObject([{ action: 'identity_provider.update', target_id: String(made.id) }]);
    expect(await app.admin.delete(path)).toMatchObject({ status: 200, body: { data: { id: made.id } } });
    expectFailure(await app.admin.get(path), 404, 'IDENTITY_PROVIDER_NOT_FOUND');
  });

  it('stores a secret sealed', async () => {
    const rows = await app.app
      .get(Database)
      .manager.query<{ client_secret: string }[]>('SELECT * FROM identity_providers');
    expect(rows[0]?.client_secret).toMatch(/^v1\./);
    expect(JSON.stringify(rows)).not.toContain(CLIENT_SECRET);
  });

  it('allows one for each slug and issuer', async () => {
    const { slug, issuer, id } = await create();
    const taken = [newProvider({ slug }), newProvider({ issuer })];
    for (const body of taken) {
      expectFailure(await app.admin.post(PATH, body), 409, 'IDENTITY_PROVIDER_EXISTS');
    }
    const moved = await app.admin.put(`${PATH}/${id}`, { issuer: app.issuer.issuer });
    expectFailure(moved, 409, 'IDENTITY_PROVIDER_EXISTS');
  });

  it.each([
    ['https://login.microsoftonline.com/common/v2.0'],
    ['https://login.microsoftonline.com/Organizations/v2.0'],
    ['https://login.microsoftonline.com/consumers/v2.0'],
    ['https://login.microsoftonline.com/%7Btenantid%7D/v2.0'],
    ['https://login.microsoftonline.com/{tenantid}/v2.0'],
    ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'],
    ['https://login.microsoftonline.us/common/v2.0'],
    ['http://10.0.0.1'],
    ['http://localhost:1'],
    ['https://169.254.169.254'],
  ])('refuses the issuer %s', async (issuer) => {
    expect(await faultOf(app.admin.post(PATH, newProvider({ issuer })))).toBe('issuer: not_allowed');
  });

  it.each([
    ['jit: not_allowed', { jit: 'everybody' }],
    ['jit: not_allowed', { issuer: 'https://accounts.google.com', jit: 'all' }],
    ['allowed_domains: required', { jit: 'domains' }],
    ['mappings.0: required', { mappings: [{ value: 'x' }] }],
    ['accept_tokens.audience: conflicts', { accept_tokens: { audience: 'chat', authorized_parties: ['x'] } }],
    ['mappings.0.group: not_allowed', { mappings: [{ value: 'x', group: 999_999 }] }],
  ])('refuses %s', async (fault, body) => {
    expect(await faultOf(app.admin.post(PATH, newProvider(body)))).toBe(fault);
  });

  it('sends no secret to another issuer', async () => {
    const { id } = await create({ client_secret: 'top-secret' });
    const issuer = `https://${randomUUID()}.example.com`;
    expect(await faultOf(app.admin.put(`${PATH}/${id}`, { issuer }))).toBe('client_secret: required');
    expect(await app.admin.put(`${PATH}/${id}`, { issuer, client_secret: 'another' })).toMatchObject({ status: 200 });
    expect(await faultOf(app.admin.put(`${PATH}/${id}`, {}))).toBe('body: nothing_to_change');
  });

  it('keeps the issuer of identities, and deletes it only with them', async () => {
    await app.configure(PROVIDER_SETTINGS);
    app.newPerson();
    const { token, user } = await app.signIn();
    const path = `${PATH}/${app.provider.id}`;
    const moved = { issuer: 'https://new.example.com', client_secret: 'x' };
    expect(await faultOf(app.admin.put(path, moved))).toBe('issuer: conflicts');
    expect(expectFailure(await app.admin.delete(path), 409, 'PROVIDER_IN_USE').details).toEqual({ count: 1 });
    expect(await app.admin.delete(`${path}?force=true`)).toMatchObject({ status: 200 });
    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
    const refused = await new SignInBrowser(app).start('company');
    expect(parametersOf(refused).get('error')).toBe('IDENTITY_PROVIDER_NOT_FOUND');
    expect(await app.admin.get(`/admin/users/${user.id}`)).toMatchObject({ status: 200 });
  });

  it('is for administrators with an access token', async () => {
    const key = await makeKey(app, app.admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    expect((await call(`${app.url}${PATH}`, { token: key.key })).status).toBe(200);
    expectFailure(await call(`${app.url}${PATH}`, { token: key.key, body: newProvider() }), 403, 'SCOPE_REQUIRED');
  });

  it('describes errors in words', async () => {
    const { id } = await create({ issuer: 'https://nowhere.invalid' });
    const { body } = await app.admin.post(`${PATH}/${id}/test`);
    expect(body.data).toEqual({
      discovery: {
        ok: false,
        message:
          'The provider cannot be reached, responds too slowly, or returns too much data. Check its address and status.',
      },
      keys: {
        ok: false,
        message:
          'The provider cannot be reached, responds too slowly, or returns too much data. Check its address and status.',
      },
      clock: { ok: false, message: 'The provider does not report its time.' },
      last_claims: { ok: true, message: 'No one has signed in with this provider yet.' },
    });
  });

  describe('from the environment', () => {
    it('is created at the first start, edited like others, and follows the variables', async () => {
      const environment = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'chat', OIDC_NAME: 'Example' };
      const first = await startTestApp({ ...environment, OIDC_CLIENT_SECRET: 'from-the-environment' });
      const admin = await AdminClient.of(first);
      const [made] = await admin.items<IdentityProviderDto>(PATH);
      expect(made).toMatchObject({
        slug: 'company',
        name: 'Example',
        issuer: 'https://login.example.com',
        has_client_secret: true,
        jit: 'off',
        managed_by: 'environment',
        environment_fields: ['issuer', 'client_id', 'client_secret', 'name'],
      });
      const path = `${PATH}/${made?.id}`;
      expect(await admin.put(path, { jit: 'all' })).toMatchObject({ body: { data: { jit: 'all' } } });
      expect(await admin.put(path, { name: 'Mine' })).toMatchObject({
        body: { error: { details: { field: 'name', reason: 'not_allowed' } } },
      });
      await first.app.close();
      const second = await startInstance({ ...first.environment, OIDC_NAME: 'Renamed' });
      const { body } = await call<{ data: { items: object[] } }>(`${second.url}${PATH}`, {
        token: admin.account.token,
      });
      expect(body.data.items).toEqual([expect.objectContaining({ name: 'Renamed', jit: 'all' })]);
      await second.app.close();
      await first.mails.stop();
    });
  });
});

describe('the secret of a provider', () => {
  it('survives a change of the service’s own secret, and identities keep their issuer whatever the environment sets', async () => {
    const first = await startSignInApp();
    await first.app.close();
    const JWT_SECRET = 'Q8wTn3yKe6ZrVb1mXc5PjLs0HfDa7GuN4iRo2EtB';
    const secrets: Record<string, string>[] = [
      { JWT_SECRET, JWT_SECRET_PREVIOUS: first.environment.JWT_SECRET ?? '' },
      { JWT_SECRET, OIDC_ISSUER: 'https://moved.example.com', OIDC_CLIENT_ID: 'chat' },
    ];
    for (const changed of secrets) {
      const renewed = await startInstance({ ...first.environment, ...changed });
      first.newPerson();
      expect((await new SignInBrowser(renewed).signIn('company')).status).toBe(200);
      await renewed.app.close();
    }
    const sent = first.issuer.tokenRequests.map(({ authorization }) => authorization);
    const encoded = `chat:${encodeURIComponent(CLIENT_SECRET)}`.replaceAll('-', '%2D').replaceAll('%20', '+');
    expect(sent).toEqual(sent.map(() => `Basic ${Buffer.from(encoded).toString('base64')}`));
    expect(sent).toHaveLength(2);
    await first.mails.stop();
    await first.issuer.close();
  });
});

describe('the rate limit of sign-ins', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp({ RATE_LIMIT_ANONYMOUS: '12', RATE_LIMIT_AUTH: '3', RATE_LIMIT_SIGN_IN: '14' });
  });

  afterAll(() => app.close());

  it('counts starts separately, not the list, open steps by the sign-in, and refused ones by the address', async () => {
    const browsers = Array.from({ length: 8 }, () => new SignInBrowser(app));
    for (const browser of browsers) {
      app.newPerson();
      expect((await browser.signIn('company')).status).toBe(200);
    }
    const limits: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const answer = await browsers[0]?.exchange('x'.repeat(43));
      limits.push(answer?.status ?? 0);
    }
    expect(limits).toEqual([401, 401, 401, 429, 429, 429]);
    const starts: (string | null)[] = [];
    for (let tries = 0; tries < 8; tries++) {
      starts.push(parametersOf(await new SignInBrowser(app).start('company')).get('error'));
    }
    expect(starts).toEqual([...Array<null>(6).fill(null), 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']);
    const list = await call(`${app.url}/auth/providers`);
    expect([list.status, list.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
  });
});
