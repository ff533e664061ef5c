import { createUser, newcomer, PASSWORD } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the OAuth 2 login', () => {
  const app = useTestApp({ RATE_LIMIT_AUTH: '60', TRUST_PROXY: '1' });

  beforeAll(() => {
    app.freezeClock();
  });

  const send = (raw: string, headers: Record<string, string> = {}) =>
    call<Record<string, unknown>>(`${app.url}/auth/token`, { raw, headers: { ...FORM, ...headers } });
  const logIn = (username: string, password: string, headers: Record<string, string> = {}) =>
    send(new URLSearchParams({ grant_type: 'password', username, password }).toString(), headers);

  it('returns a pair with a working access token, by the standard', async () => {
    const { email } = await createUser(app);
    const answer = await logIn(email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
      refresh_expires_in: expect.any(Number),
    });
    expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    const me = await call<{ email: string }>(`${app.url}/auth/me`, { token: String(answer.body.access_token) });
    expect(me.body.email).toBe(email);
  });

  it('accepts fields that clients add, and a password of any characters', async () => {
    const { email } = await createUser(app);
    const extras = `&client_id=&client_secret=&scope=&password=${encodeURIComponent(PASSWORD).replaceAll('%20', '+')}`;
    const basic = { authorization: `Basic ${Buffer.from(':').toString('base64')}` };
    expect((await send(`grant_type=password&username=${email}${extras}`, basic)).status).toBe(200);
    const body = { grant_type: 'password', username: email, password: PASSWORD };
    expect((await call(`${app.url}/auth/token`, { body })).status).toBe(200);
  });

  it('counts failures together with those of the other login, and answers them alike', async () => {
    const { email } = await createUser(app);
    for (let times = 0; times < 5; times++) {
      expectFailure(await logIn(email, 'wrong password'), 401, 'INVALID_CREDENTIALS');
      const other = await call(`${app.url}/auth/login`, { body: { email, password: 'wrong password' } });
      expectFailure(other, 401, 'INVALID_CREDENTIALS');
    }
    expectFailure(await logIn(email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expectFailure(await logIn(newcomer().email, 'wrong password'), 401, 'INVALID_CREDENTIALS');
  });

  it('names the field of an invalid form', async () => {
    const raw = 'grant_type=password&username=ada&password=x';
    expect(expectFailure(await send(raw), 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'username' });
  });

  it('refuses forms in other encodings, too large ones, and forms anywhere else', async () => {
    expectFailure(await send('x', { 'content-encoding': 'gzip' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const latin = { 'content-type': `${FORM['content-type']}; charset=iso-8859-1` };
    expectFailure(await send('x', latin), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectFailure(await send(`x=${'x'.repeat(20_000)}`), 413, 'PAYLOAD_TOO_LARGE');
    const elsewhere = await call(`${app.url}/auth/login`, { raw: 'email=a', headers: FORM });
    expectFailure(elsewhere, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('shares the limit of all logins', async () => {
    // A separate address, which does not affect the other tests.
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    let answer = await logIn(newcomer().email, 'x', headers);
    while (answer.status !== 429) {
      answer = await send('x', headers);
    }
    expectFailure(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expectFailure(await call(`${app.url}/auth/login`, { body: {}, headers }), 429, 'RATE_LIMIT_EXCEEDED');
  });
});
