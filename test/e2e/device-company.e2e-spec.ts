import { randomUUID } from 'node:crypto';
import type { DeviceTokenDto } from '../../src/modules/device/oauth/oauth.dto';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { DeviceSignIn } from '../support/device-sign-in';
import { call } from '../support/http';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const HOUR = 3_600_000;

describe('the device of a person who signed in with a provider', () => {
  let app: SignInApp;
  let program: DeviceSignIn;
  let person: Awaited<ReturnType<SignInApp['signIn']>>;
  let sub: string;
  let device: DeviceTokenDto;

  beforeAll(async () => {
    app = await startSignInApp();
    program = new DeviceSignIn(app);
  });

  afterAll(() => app.close());

  afterEach(() => app.resetClock());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure({ ...PROVIDER_SETTINGS, session_max_age: 7_200 });
    ({ sub } = app.newPerson({ sid: 'one', groups: ['staff'] }));
    person = await app.signIn();
    device = await program.signIn(person.token);
  });

  const isOpen = async () =>
    (await call(`${app.origin}/openai/v1/models`, { token: device.access_token })).status === 200;
  const logOut = async (claims: object) => {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: app.issuer.issuer, aud: 'chat', iat: now, exp: now + 120, jti: randomUUID(), events: EVENTS };
    const token = app.issuer.sign({ ...all, ...claims }, { header: { typ: 'logout+jwt' } });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const raw = new URLSearchParams({ logout_token: token }).toString();
    const { status } = await call(`${app.url}/auth/oidc/company/backchannel_logout`, { raw, method: 'POST', headers });
    expect(status).toBe(200);
  };

  it('survives a logout of the provider by session, but not of the person', async () => {
    await logOut({ sub, sid: 'one' });
    expect((await call(`${app.url}/auth/me`, { token: person.token })).status).toBe(401);
    expect(await isOpen()).toBe(true);
    await logOut({ sub });
    expect(await isOpen()).toBe(false);
  });

  it('lasts `session_max_age` from the approval, not sliding', async () => {
    app.freezeClock();
    app.advanceClock(1.5 * HOUR);
    const { status, body } = await program.refresh(device.refresh_token);
    expect(status).toBe(200);
    expect(body.expires_in).toBeLessThanOrEqual(1_800);
    app.advanceClock(HOUR);
    expect((await program.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('ends when its person loses the required groups', async () => {
    await app.configure({ required_groups: ['staff'] });
    app.issuer.person = { ...app.issuer.person, groups: [] };
    const browser = new SignInBrowser(app);
    const code = (await browser.returnFrom('company')).get('login_code');
    if (code !== null) await browser.exchange(code);
    expect(await isOpen()).toBe(false);
  });

  it('ends with the sessions of the provider', async () => {
    await app.admin.put(`/admin/identity_providers/${app.provider.id}`, { is_active: false, end_sessions: true });
    expect(await isOpen()).toBe(false);
  });

  it('is approved after a sign-in that returns to the page', async () => {
    const browser = new SignInBrowser(app);
    const arrived = await browser.go(await browser.comeBack('company', '/console/device'));
    expect(arrived.headers.get('location')).toMatch(/^\/console\/device\?login_code=/);
    const sessions = await call<SessionDto[]>(`${app.url}/user/sessions`, { token: person.token });
    expect(sessions.body.map(({ kind }) => kind)).toEqual(['device', 'browser']);
  });
});
