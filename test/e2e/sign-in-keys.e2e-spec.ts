import type { KeyObject } from 'node:crypto';
import { type Forgery, newKey } from '../support/servers/fake-issuer';
import { type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

type Key = ReturnType<typeof newKey>;

/** Documents that the service caches. */
const MINUTE_SECONDS = 60;

/** How long keys are cached. */
const HOUR_SECONDS = 3_600;

describe('a provider whose keys have ambiguous names', () => {
  const [former, present, stranger] = [newKey(), newKey(), newKey()];
  let app: SignInApp;
  let waited: number;

  beforeEach(async () => {
    waited = 0;
    app = await startSignInApp();
    app.newPerson();
  });

  afterEach(() => app.close());

  function publish(keys: Key[], kid?: string): void {
    const published = keys.map(({ publicKey }) => ({ ...jwk(publicKey), kid, use: 'sig' }));
    app.issuer.handlers.set('/jwks', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
    });
  }

  async function errorFor(key: Key, kid?: string): Promise<string | null> {
    const forgery: Forgery = { key, header: { kid } };
    app.issuer.forgery = { ...app.issuer.forgery, ...forgery };
    return (await new SignInBrowser(app).returnFrom('company')).get('error');
  }

  function wait(seconds: number): void {
    waited += seconds;
    const now = Math.floor(Date.now() / 1_000) + waited;
    app.advanceClock(seconds * 1_000);
    app.issuer.forgery = { claims: { iat: now, exp: now + 300 } };
  }

  it.each([undefined, 'the only one'])('may change the key with the name %p, within a minute', async (kid) => {
    publish([former], kid);
    expect(await errorFor(former, kid)).toBeNull();
    publish([present], kid);
    expect(await errorFor(present, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    wait(MINUTE_SECONDS + 1);
    app.issuer.asked.clear();
    expect(await errorFor(present, kid)).toBeNull();
    expect(await errorFor(former, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(await errorFor(stranger, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(app.issuer.asked.get('/jwks')).toBe(1);
  });

  it.each([undefined, 'shared'])('may publish several keys with the name %p', async (kid) => {
    publish([former, present], kid);
    expect(await errorFor(former, kid)).toBeNull();
    expect(await errorFor(present, kid)).toBeNull();
    expect(await errorFor(stranger, kid)).toBe('IDENTITY_PROVIDER_ERROR');
    app.issuer.forgery = { signature: 'AAAA' };
    expect(await errorFor(present, kid)).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it('are read again after an hour, and stay valid if they are unavailable then', async () => {
    publish([former, present]);
    expect(await errorFor(former)).toBeNull();
    app.issuer.handlers.set('/jwks', (_request, response) => void response.writeHead(503).end());
    wait(HOUR_SECONDS + 1);
    expect(await errorFor(former)).toBeNull();
    publish([present]);
    wait(HOUR_SECONDS + 1);
    expect(await errorFor(former)).toBe('IDENTITY_PROVIDER_ERROR');
    expect(await errorFor(present)).toBeNull();
  });

  it('are requested again after a second if the provider was down the first time', async () => {
    app.issuer.handlers.set('/jwks', (_request, response) => void response.writeHead(503).end());
    app.issuer.asked.clear();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await errorFor(former)).toBe('IDENTITY_PROVIDER_ERROR');
    }
    expect(app.issuer.asked.get('/jwks')).toBe(1);
    publish([former]);
    wait(1);
    expect(await errorFor(former)).toBeNull();
  });
});

function jwk(key: KeyObject): object {
  return key.export({ format: 'jwk' });
}
