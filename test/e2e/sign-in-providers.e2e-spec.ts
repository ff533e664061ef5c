import { ProviderHttp } from '../../src/modules/identity/protocol/provider-http';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { startSignInApp } from '../support/sign-in-app';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startTestApp, type TestApp } from '../support/test-app';
import { made, useAdmin } from '../support/use-app';

/** As many as tests that start with one. */
const PROVIDERS = 16;

describe('a sign-in with a provider', () => {
  const issuers: FakeIssuer[] = [];
  let begun = 0;
  let slug: string;
  let other: FakeIssuer;

  const app = made<TestApp>(beforeAll, async () => {
    issuers.push(...(await Promise.all(Array.from({ length: PROVIDERS }, () => FakeIssuer.start()))));
    const started = await startTestApp({
      OIDC_ALLOWED_HOSTS: issuers.map(({ host }) => host).join(','),
      PUBLIC_URL: 'http://chat.example.com',
    });
    started.app.get(ProviderHttp).timeLimitMilliseconds = 300;
    return started;
  });
  const admin = useAdmin(app);

  afterAll(async () => {
    await app.close();
    await Promise.all(issuers.map((issuer) => issuer.close()));
  });

  /** A provider whose document has not been read yet. */
  async function withNewProvider(behave: (issuer: FakeIssuer) => void): Promise<SignInBrowser> {
    const next = issuers[begun++];
    if (!next) throw new Error('There are more tests with a provider of their own than PROVIDERS says.');
    other = next;
    other.person = { sub: 'ada', email: 'ada@example.com', email_verified: true };
    behave(other);
    slug = `company-${begun}`;
    const settings = { slug, name: 'Example Inc.', issuer: other.issuer, client_id: 'chat' };
    expect((await admin.post('/admin/identity_providers', settings)).status).toBe(201);
    return new SignInBrowser(app);
  }

  const HUGE = 'x'.repeat(10 * 1_048_576);

  it.each<[string, string, Parameters<FakeIssuer['handlers']['set']>[1]]>([
    ['does not answer', '/.well-known/openid-configuration', () => undefined],
    ['fails', '/.well-known/openid-configuration', (_request, response) => void response.writeHead(500).end()],
    ['is no JSON', '/.well-known/openid-configuration', (_request, response) => void response.end('<html>')],
    ['is 10 MB', '/.well-known/openid-configuration', (_request, response) => void response.end(HUGE)],
    [
      'leads inwards',
      '/.well-known/openid-configuration',
      (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])('whose document %s', async (_what, path, handler) => {
    const browser = await withNewProvider(({ handlers }) => handlers.set(path, handler));
    expect(parametersOf(await browser.start(slug)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
    other.handlers.clear();
    expect((await browser.start(slug)).status).toBe(302);
  });

  it('that is down', async () => {
    const browser = await withNewProvider(() => undefined);
    expect((await browser.start(slug)).status).toBe(302);
    const address = await browser.comeBack(slug);
    await other.close();
    expect(parametersOf(await browser.go(address)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['its issuer otherwise', (issuer: string) => ({ issuer: `${issuer}/` })],
    ['an inner address', { token_endpoint: 'http://10.0.0.1/token' }],
    ['an address of the machine', { jwks_uri: 'http://169.254.169.254/' }],
    ['no page to go to', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('whose document names %s', async (_what, change) => {
    const browser = await withNewProvider((issuer) => {
      issuer.document = typeof change === 'function' ? change(issuer.issuer) : change;
    });
    expect(parametersOf(await browser.start(slug)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it.each<[string, string, Parameters<FakeIssuer['handlers']['set']>[1]]>([
    ['tokens never come', '/token', () => undefined],
    ['tokens are 10 MB', '/token', (_request, response) => void response.end(HUGE)],
    [
      'tokens are elsewhere',
      '/token',
      (_request, response) => void response.writeHead(307, { location: '/jwks' }).end(),
    ],
    ['keys never come', '/jwks', () => undefined],
    ['keys are none', '/jwks', (_request, response) => void response.end('{"keys":[]}')],
  ])('whose %s', async (_what, path, handler) => {
    const browser = await withNewProvider(({ handlers }) => handlers.set(path, handler));
    expect((await browser.returnFrom(slug)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it('whose clock is off by ten minutes, which administrators see as a message', async () => {
    const app = await startSignInApp();
    app.issuer.handlers.set('/.well-known/openid-configuration', (_request, response) => {
      const document = { issuer: app.issuer.issuer, jwks_uri: `${app.issuer.issuer}/jwks` };
      const endpoints = { authorization_endpoint: app.issuer.issuer, token_endpoint: app.issuer.issuer };
      const date = new Date(Date.now() + 600_000).toUTCString();
      response.writeHead(200, { date, 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...document, ...endpoints }));
    });
    const { body } = await app.admin.post<Record<string, { ok: boolean; message: string }>>(
      `/admin/identity_providers/${app.provider.id}/test`,
    );
    expect(body.data).toMatchObject({ discovery: { ok: true }, keys: { ok: true }, clock: { ok: false } });
    expect(body.data.clock?.message).toMatch(/differs .* by (59|60)\d seconds/);
    await app.close();
  });
});
