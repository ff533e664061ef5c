import { type KeyObject, randomUUID } from 'node:crypto';
import { ProviderClient } from '../../src/modules/identity/protocol/provider-client';
import type { ErrorAnswer } from '../support/http';
import { FakeIssuer, type Forgery, newKey } from '../support/servers/fake-issuer';
import { CLIENT_SECRET, PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

type Key = ReturnType<typeof newKey>;

/** Documents that the service caches. */
const MINUTE_SECONDS = 60;

/** How long keys are cached. */
const HOUR_SECONDS = 3_600;

let app: SignInApp;

beforeAll(async () => {
  app = await startSignInApp({ OIDC_ALLOWED_HOSTS: '127.0.0.1' });
});

beforeEach(() => app.resetClock());

afterAll(() => app.close());

describe('a provider whose keys have ambiguous names', () => {
  const [former, present, stranger] = [newKey(), newKey(), newKey()];
  let issuer: FakeIssuer;
  let slug: string;
  let waited: number;

  // Another provider for each test: the service caches keys.
  beforeEach(async () => {
    waited = 0;
    issuer = await FakeIssuer.start();
    issuer.person = app.newPerson();
    slug = randomUUID().slice(0, 8);
    const provider = { slug, name: 'Example Inc.', issuer: issuer.issuer, client_id: 'chat', jit: 'all' };
    expect((await app.admin.post('/admin/identity_providers', provider)).status).toBe(201);
  });

  afterEach(() => issuer.close());

  function publish(keys: Key[], kid?: string): void {
    const published = keys.map(({ publicKey }) => ({ ...jwk(publicKey), kid, use: 'sig' }));
    issuer.handlers.set('/jwks', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
    });
  }

  async function errorFor(key: Key, kid?: string): Promise<string | null> {
    const forgery: Forgery = { key, header: { kid } };
    issuer.forgery = { ...issuer.forgery, ...forgery };
    return (await new SignInBrowser(app).returnFrom(slug)).get('error');
  }

  function wait(seconds: number): void {
    waited += seconds;
    const now = Math.floor(Date.now() / 1_000) + waited;
    app.advanceClock(seconds * 1_000);
    issuer.forgery = { claims: { iat: now, exp: now + 300 } };
  }

  it.each([undefined, 'the only one'])('may change the key with the name %p, within a minute', async (kid) => {
    publish([former], kid);
    expect(await errorFor(former, kid)).toBeNull();
    publish([present], kid);
    expect(await errorFor(present, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    wait(MINUTE_SECONDS + 1);
    issuer.asked.clear();
    expect(await errorFor(present, kid)).toBeNull();
    expect(await errorFor(former, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(await errorFor(stranger, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(issuer.asked.get('/jwks')).toBe(1);
  });

  it.each([undefined, 'shared'])('may publish several keys with the name %p', async (kid) => {
    publish([former, present], kid);
    expect(await errorFor(former, kid)).toBeNull();
    expect(await errorFor(present, kid)).toBeNull();
    expect(await errorFor(stranger, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    issuer.forgery = { signature: 'AAAA' };
    expect(await errorFor(present, kid)).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it('are read again after an hour, and stay valid if they are unavailable then', async () => {
    publish([former, present]);
    expect(await errorFor(former)).toBeNull();
    issuer.handlers.set('/jwks', (_request, response) => void response.writeHead(503).end());
    wait(HOUR_SECONDS + 1);
    expect(await errorFor(former)).toBeNull();
    publish([present]);
    wait(HOUR_SECONDS + 1);
    expect(await errorFor(former)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(await errorFor(present)).toBeNull();
  });

  it('are requested again after a second if the provider was down the first time', async () => {
    issuer.handlers.set('/jwks', (_request, response) => void response.writeHead(503).end());
    issuer.asked.clear();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await errorFor(former)).toBe('IDENTITY_PROVIDER_ERROR');
    }
    expect(issuer.asked.get('/jwks')).toBe(1);
    publish([former]);
    wait(1);
    expect(await errorFor(former)).toBeNull();
  });
});

describe('a provider whose issuer changes', () => {
  it('opens nothing for users of the former one', async () => {
    await app.configure(PROVIDER_SETTINGS);
    const { issuer } = app.issuer;
    const moveTo = (to: string) => app.configure({ issuer: to, client_secret: CLIENT_SECRET });
    app.newPerson();
    const browser = new SignInBrowser(app);
    const code = (await browser.returnFrom('company')).get('login_code') ?? '';
    for (const end of ['/', '']) await moveTo(issuer + end);
    expect((await browser.exchange<ErrorAnswer>(code)).body.error.code).toBe('LOGIN_CODE_INVALID');
    // Nor for a user who returns during the change.
    const client = app.app.get(ProviderClient);
    jest.spyOn(client, 'redeem').mockImplementationOnce(async (...given) => {
      const delivered = await client.redeem(...given);
      await moveTo(`${issuer}/`);
      return delivered;
    });
    const late = (await browser.returnFrom('company')).get('login_code') ?? '';
    expect((await browser.exchange<ErrorAnswer>(late)).body.error.code).toBe('LOGIN_CODE_INVALID');
    await moveTo(issuer);
  });
});

function jwk(key: KeyObject): object {
  return key.export({ format: 'jwk' });
}
