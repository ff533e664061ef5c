import { ProviderHttp } from '../../src/modules/identity/protocol/provider-http';
import { expectFailure } from '../support/http';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { startSignInApp } from '../support/sign-in-app';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startTestApp } from '../support/test-app';

describe('a sign-in with a provider', () => {
  let other: FakeIssuer;

  /** A provider whose document was not read yet. */
  async function withNewProvider(behave: (issuer: FakeIssuer) => void): Promise<SignInBrowser> {
    other = await FakeIssuer.start();
    other.person = { sub: 'ada', email: 'ada@example.com', email_verified: true };
    behave(other);
    return new SignInBrowser(await appFor(other));
  }

  const apps: { close(): Promise<void> }[] = [];

  async function appFor(issuer: FakeIssuer): Promise<Awaited<ReturnType<typeof startTestApp>>> {
    const started = await startTestApp({
      OIDC_ALLOWED_HOSTS: issuer.host,
      OIDC_ISSUER: issuer.issuer,
      OIDC_CLIENT_ID: 'chat',
      PUBLIC_URL: 'http://chat.example.com',
    });
    started.app.get(ProviderHttp).timeLimitMilliseconds = 300;
    apps.push(started, issuer);
    return started;
  }

  afterEach(async () => {
    for (const one of apps.splice(0)) {
      await one.close();
    }
  });

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
    expectFailure(await browser.start('company'), 502, 'IDENTITY_PROVIDER_ERROR');
    other.handlers.clear();
    expect((await browser.start('company')).status).toBe(302);
  });

  it('that is away', async () => {
    const browser = await withNewProvider(() => undefined);
    expect((await browser.start('company')).status).toBe(302);
    const address = await browser.comeBack('company');
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
    expectFailure(await browser.start('company'), 502, 'IDENTITY_PROVIDER_ERROR');
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
    expect((await browser.returnFrom('company')).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it('whose clock goes wrong by ten minutes, which is a sentence for administrators', async () => {
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
    expect(body.data.clock?.message).toMatch(/differs .* by (599|600|601) seconds/);
    await app.close();
  });
});
