import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { freePort } from '../support/servers/free-port';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { ServiceRun } from '../support/service-run';
import { CLIENT_SECRET, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

/** Whether the service answers there. */
async function isReady(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/health/ready`).catch(() => null);
  return answer?.ok === true;
}

/** Over https, the built service with the most verbose log signs users in, links, and refuses. */
describe('the secrets of a sign-in with a provider', () => {
  let service: ServiceRun | undefined;

  // If the test has failed, it is still running.
  afterEach(() => service?.signal('SIGKILL'));

  it('are in no line of the log, at any level; and its cookies belong to this host only', async () => {
    const database = await createMigratedDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'sign-in-secrecy-'));
    const app = await startSignInApp({
      DATABASE_URL: database.url,
      TRUST_PROXY: '1',
      PUBLIC_URL: 'https://chat.example.com',
    });
    const account = await createUser(app);
    const accept_tokens = { audience: 'https://chat.example.com', authorized_parties: ['cli'] };
    await app.configure({ logout: 'rp_initiated', accept_tokens });
    await app.app.close();
    const PORT = String(await freePort());
    const run = new ServiceRun(folder, { ...app.environment, PORT, LOG_LEVEL: 'trace', LOG_FORMAT: 'json' });
    service = run;
    const place = { origin: `http://127.0.0.1:${PORT}`, url: `http://127.0.0.1:${PORT}/api/v1` };
    await eventually(() => isReady(place.origin));
    const signed = jest.spyOn(app.issuer, 'sign');
    const secrets: [string, string][] = [['client secret', CLIENT_SECRET]];
    const keep = (name: string, value: string | null | undefined): string => {
      expect([name, value]).toEqual([name, expect.stringMatching(/^[^]{6,}$/)]);
      secrets.push([name, value ?? '']);
      return value ?? '';
    };

    /** The redirect to the provider and back. */
    async function comeBack(browser: SignInBrowser): Promise<string> {
      const leaving = await browser.start('company');
      expect(leaving.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-oidc-[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
      browser.cookies.forEach((value) => keep('cookie', value));
      const asked = new URL(leaving.headers.get('location') ?? '');
      for (const name of ['state', 'nonce', 'code_challenge']) keep(name, asked.searchParams.get(name));
      const back = new URL(await browser.answerOf(asked.href));
      keep('code of the provider', back.searchParams.get('code'));
      const arrived = await browser.go(back.href);
      expect([...browser.cookies.keys()].filter((name) => name.includes('oidc'))).toEqual([]);
      return keep('login code', new URLSearchParams(arrived.headers.get('location')?.split('?')[1]).get('login_code'));
    }

    const headers = { 'x-forwarded-proto': 'https' };
    const { sub } = app.newPerson({ sid: 'session-at-the-provider' });
    const browser = new SignInBrowser(place, headers);
    const entered = await browser.exchange(await comeBack(browser), browser.verifier, { session: 'cookie' });
    expect(entered.status).toBe(200);
    const token = keep('access token', entered.body.access_token);
    keep('refresh token', browser.cookies.get('__Host-refresh_token'));

    app.newPerson({ email: account.email, email_verified: false });
    const other = new SignInBrowser(place, headers);
    const refused = await other.exchange<{ error: { details: { link_token: string } } }>(await comeBack(other));
    const link_token = keep('link token', refused.body.error.details.link_token);
    await other.post('/auth/send_code', { purpose: 'link_identity', link_token });
    const mail = await app.mails.waitForMail(account.email);
    const code = keep('code by mail', /\b\d{6}\b/.exec(mail.text ?? '')?.[0]);
    const link = { link_token, verification_code: code, code_verifier: other.verifier };
    expect((await other.post('/auth/oidc/link', link)).status).toBe(200);

    // Failures are logged in the most detail.
    app.issuer.forgery = { claims: { nonce: 'another' } };
    const failing = new SignInBrowser(place, headers);
    expect((await failing.returnFrom('company')).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
    app.issuer.forgery = {};

    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: app.issuer.issuer, sub, iat: now, exp: now + 120 };
    const foreign = app.issuer.sign(
      { ...claims, aud: 'https://chat.example.com', azp: 'cli', jti: 'one' },
      { header: { typ: 'at+jwt' } },
    );
    expect((await call(`${place.origin}/openai/v1/models`, { token: foreign })).status).toBe(200);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const logout = app.issuer.sign({ ...claims, aud: 'chat', jti: 'two', events }, { header: { typ: 'logout+jwt' } });
    for (const logout_token of [`${logout}x`, logout]) {
      await call(`${place.url}/auth/oidc/company/backchannel_logout`, {
        raw: new URLSearchParams({ logout_token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    }
    expect((await call(`${place.url}/auth/me`, { token })).status).toBe(401);
    run.signal('SIGTERM');
    await run.ended;

    [browser, other, failing].forEach(({ verifier }) => keep('verifier', verifier));
    app.issuer.tokenRequests.forEach(({ authorization }) => keep('credentials', authorization?.split(' ')[1]));
    for (const { value } of signed.mock.results) keep('signed token', (value as string).split('.')[1]);
    const said = run.output();
    // The test would find them: the log has the requests, and the reason of a failure.
    expect(said).toMatch(/"path":"\/api\/v1\/auth\/oidc\/company\/callback"/);
    expect(said).toMatch(/"path":"\/api\/v1\/auth\/oidc\/link"/);
    expect(said).toMatch(/wrong_token/);
    // Six digits only: a longer number may contain them by chance.
    const says = (value: string): boolean =>
      value.length > 6 ? said.includes(value.slice(0, 24)) : new RegExp(`\\b${value}\\b`).test(said);
    const found = secrets.filter(([, value]) => says(value));
    expect(found).toEqual([]);
    await app.mails.stop();
    await app.issuer.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
});
