import { createHmac } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

type Algorithm = 'HS256' | 'HS384' | 'HS512';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

describe('access tokens', () => {
  const app = useTestApp();
  let account: TestAccount;
  const jwt = new JwtService();
  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  const claims = () => decode(account.token.split('.')[1] ?? '');
  /** Signs like the service, with other claims, key or algorithm. */
  const sign = (
    changed: object,
    { key = app.environment.JWT_SECRET, algorithm = 'HS256' }: { key?: string; algorithm?: Algorithm } = {},
  ): string => jwt.sign({ ...claims(), ...changed }, { secret: key, algorithm });

  beforeAll(async () => {
    account = await createUser(app);
  });

  it('contain the user, the session, the purpose and the expiry', () => {
    const [header = ''] = account.token.split('.');
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const { iat, exp, ...others } = claims();
    expect(others).toEqual({
      sub: String(account.user.id),
      sid: expect.any(Number),
      typ: 'access',
      iss: 'chat-service',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(Number(exp) - Number(iat)).toBe(3_600);
  });

  it('are accepted when another holder of the secret has signed the same claims', async () => {
    expect((await me(sign({}))).status).toBe(200);
  });

  it('are required', async () => {
    const answer = await call(`${app.url}/auth/me`);
    expectFailure(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('are refused after they have expired', async () => {
    expectFailure(await me(sign({ exp: Math.floor(Date.now() / 1_000) - 1 })), 401, 'TOKEN_EXPIRED');
  });

  it('are refused after they have expired, even right after they were accepted', async () => {
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const token = sign({ exp });
    expect((await me(token)).status).toBe(200);
    jest.spyOn(Date, 'now').mockReturnValue(exp * 1_000);
    expectFailure(await me(token), 401, 'TOKEN_EXPIRED');
  });

  it.each<[string, () => string]>([
    ['signed with another key', () => sign({}, { key: 'another secret of sufficient length, really' })],
    ['signed with HS384', () => sign({}, { algorithm: 'HS384' })],
    ['signed with HS512', () => sign({}, { algorithm: 'HS512' })],
    ['of another issuer', () => sign({ iss: 'somebody-else' })],
    ['of another type', () => sign({ typ: 'refresh' })],
    ['without a type', () => sign({ typ: undefined })],
    ['without an end', () => forge({ alg: 'HS256', typ: 'JWT' }, { ...claims(), exp: undefined })],
    ['whose end is text', () => forge({ alg: 'HS256', typ: 'JWT' }, { ...claims(), exp: '9999999999' })],
    ['without a session', () => sign({ sid: undefined })],
    ['whose session is text', () => sign({ sid: '1' })],
    ['without a subject', () => sign({ sub: undefined })],
    ['whose subject is no id', () => sign({ sub: '0x1' })],
    ['that count from later on', () => sign({ nbf: Math.floor(Date.now() / 1_000) + 600 })],
    ['without a signature', () => account.token.replace(/[^.]*$/, '')],
    ['of two parts', () => account.token.replace(/\.[^.]*$/, '')],
    ['with alg none', () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims())}.`],
    ['with alg none and a signature', () => forge({ alg: 'none' }, claims())],
    ['with a null header', () => forge(null, claims())],
    ['with a null payload', () => `${account.token.split('.')[0]}.${encode(null)}.AAAA`],
    ...[null, [], [null], 7, '{', true].map((payload): [string, () => string] => [
      `whose payload is ${JSON.stringify(payload)}, well signed`,
      () => forge({ alg: 'HS256', typ: 'JWT' }, payload),
    ]),
    ['of rubbish', () => 'a.b.c'],
    ['with another payload', () => changedPayload()],
  ])('are refused %s', async (_name, token) => {
    const answer = await me(token());
    expectFailure(answer, 401, 'TOKEN_INVALID');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Token x'])('are refused as %j', async (authorization) => {
    const answer = await call(`${app.url}/auth/me`, { headers: { authorization } });
    expectFailure(answer, 401, 'TOKEN_INVALID');
  });

  it('are refused with text after them', async () => {
    const answer = await call(`${app.url}/auth/me`, { headers: { authorization: `Bearer ${account.token} x` } });
    expectFailure(answer, 401, 'TOKEN_INVALID');
  });

  it('are refused when the session belongs to another user', async () => {
    const other = await createUser(app);
    expectFailure(await me(sign({ sub: String(other.user.id) })), 401, 'SESSION_REVOKED');
    expectFailure(await me(sign({ sid: 999_999 })), 401, 'SESSION_REVOKED');
  });

  it('end with the logout, in any spelling', async () => {
    const leaving = await createUser(app);
    const answer = await call(`${app.url}/auth/logout`, { method: 'POST', token: leaving.token });
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    expectFailure(await me(leaving.token), 401, 'SESSION_REVOKED');
    const [header, payload, signature = ''] = leaving.token.split('.');
    const respelled = [header, payload, Buffer.from(signature, 'base64url').toString('base64')].join('.');
    expect((await me(respelled)).status).toBe(401);
    const refresh = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: leaving.refreshToken } });
    expectFailure(refresh, 401, 'REFRESH_TOKEN_INVALID');
  });

  function changedPayload(): string {
    const [header, , signature] = account.token.split('.');
    return [header, encode({ ...claims(), sub: '999' }), signature].join('.');
  }

  function forge(header: unknown, payload: unknown): string {
    const signed = `${encode(header)}.${encode(payload)}`;
    const mac = createHmac('sha256', app.environment.JWT_SECRET ?? '').update(signed);
    return `${signed}.${mac.digest('base64url')}`;
  }
});
