// @databases mariadb: rows that are locked for the end of sessions
import { Clock } from '../../src/common/clock';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

const DAY = 86_400_000;

describe('users who have left, if no directory reports it', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure(PROVIDER_SETTINGS);
  });

  afterEach(() => app.resetClock());

  const use = (key: string) => call(`${app.url}/chat`, { token: key });
  const signedIn = (token: string) => call(`${app.url}/auth/me`, { token });
  const change = (body: object) => app.admin.put(`/admin/identity_providers/${app.provider.id}`, body);

  /** Signs in the user of the last sign-in again, at the service's current time. */
  async function signInLater(): Promise<void> {
    const now = Math.floor(app.app.get(Clock).now().getTime() / 1_000);
    app.issuer.forgery = { claims: { iat: now, exp: now + 300 } };
    expect((await new SignInBrowser(app).signIn('company')).status).toBe(200);
  }

  it('lose their API keys `key_days` after the last sign-in, until the next one', async () => {
    app.newPerson();
    const { token } = await app.signIn();
    const { key } = await makeKey(app, token);
    await app.configure({ key_days: 30 });
    app.advanceClock(29 * DAY);
    expect((await use(key)).status).toBe(200);
    app.advanceClock(DAY + 10_000);
    expectFailure(await use(key), 401, 'API_KEY_EXPIRED');
    const asOpenAi = await call(`${app.origin}/openai/v1/models`, { token: key });
    expect(asOpenAi).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    await signInLater();
    expect((await use(key)).status).toBe(200);
  });

  it('keep them if another sign-in method remains', async () => {
    const account = await createUser(app);
    const { key } = await makeKey(app, account.token);
    app.newPerson();
    const { token, user } = await app.signIn();
    const { key: own } = await makeKey(app, token);
    await app.admin.put(`/admin/users/${user.id}`, { local_login: true });
    await app.configure({ key_days: 1 });
    app.advanceClock(2 * DAY);
    expect([(await use(key)).status, (await use(own)).status]).toEqual([200, 200]);
  });

  it('lose their sessions with a provider that is switched off, on request', async () => {
    app.newPerson();
    const { token } = await app.signIn();
    const account = await createUser(app);
    expectFailure(await change({ end_sessions: true }), 422, 'VALIDATION_ERROR');
    expect((await change({ is_active: false })).status).toBe(200);
    expect((await signedIn(token)).status).toBe(200);
    expect((await change({ end_sessions: true })).status).toBe(200);
    expectFailure(await signedIn(token), 401, 'SESSION_REVOKED');
    expect((await signedIn(account.token)).status).toBe(200);
  });
});
