import { createUser, newcomer, PASSWORD, receiveCode } from '../support/accounts';
import { cookiesOf, DEVICE_COOKIE } from '../support/browser-client';
import { call } from '../support/http';
import { SignInClient } from '../support/sign-in-client';
import { useTestApp } from '../support/use-app';

const WRONG = 'a wrong password';

describe('the cookie of a device', () => {
  const app = useTestApp({ TRUST_PROXY: '1' });

  it('is set only by a sign-in, for any type of session', async () => {
    const { email, token } = await createUser(app);
    const post = (path: string, body: object, headers?: Record<string, string>) =>
      call(`${app.url}${path}`, { body, headers });
    expect(cookiesOf(await post('/auth/login', { email, password: PASSWORD }))).toEqual([DEVICE_COOKIE]);
    const refused = [
      await post('/auth/login', { email, password: WRONG }),
      await post('/auth/login', { email: newcomer().email, password: WRONG }),
      await post('/auth/send_code', { email, purpose: 'login' }),
      await post('/auth/verify', { email, code: '000000' }),
      await post('/auth/logout', {}, { authorization: `Bearer ${token}` }),
    ];
    expect(refused.flatMap(cookiesOf)).toEqual([]);
    const code = await receiveCode(app, email, 'reset_password');
    const reset = { email, code, new_password: 'another long test password' };
    expect(cookiesOf(await post('/auth/reset_password', reset))).toEqual([]);
  });

  it('cannot be replaced by a form on another site', async () => {
    const { email } = await createUser(app);
    const form = new URLSearchParams({ grant_type: 'password', username: email, password: PASSWORD }).toString();
    const send = (headers: Record<string, string>) =>
      call(`${app.url}/auth/token`, {
        raw: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: app.origin },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'content-type': 'Application/X-WWW-Form-Urlencoded' },
    ];
    for (const headers of foreign) {
      const answer = await send(headers);
      expect([answer.status, cookiesOf(answer)]).toEqual([200, []]);
    }
    const own: Record<string, string>[] = [
      {},
      { origin: app.origin },
      { 'sec-fetch-site': 'same-origin', origin: 'https://before-the-proxy.example' },
    ];
    for (const headers of own) {
      expect(cookiesOf(await send(headers))).toEqual([DEVICE_COOKIE]);
    }
  });

  it('gets a new value if its value is not ours', async () => {
    const { email } = await createUser(app);
    for (const value of ['', 'phone', 'A'.repeat(44), '%F0%9F']) {
      const client = new SignInClient(app, '192.0.2.1').takeDevice(value);
      expect((await client.logIn(email, PASSWORD)).status).toBe(200);
      expect(client.device).toMatch(/^[\w-]{43}$/);
    }
  });
});
