// @databases mariadb mysql: locks decide between concurrent polls, lookups and decisions
import { Database } from '../../src/database/database';
import { DeviceCodeEntity } from '../../src/modules/device/codes/device-code.entity';
import { DeviceCodeRetention } from '../../src/modules/device/codes/device-code.retention';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { DEVICE_GRANT, DeviceSignIn } from '../support/device-sign-in';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const SECOND = 1_000;

describe('the sign-in of a command-line program', () => {
  const app = useOwnTestApp({ PUBLIC_URL: 'https://chat.example.com' });
  const admin = useAdmin(app);
  let program: DeviceSignIn;
  let user: TestAccount;

  beforeAll(() => {
    app.freezeClock();
    program = new DeviceSignIn(app);
  });

  beforeEach(async () => {
    user = await createUser(app);
  });

  const statusAndError = async (answer: ReturnType<DeviceSignIn['poll']>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };
  const sessions = (token: string) => call<SessionDto[]>(`${app.url}/user/sessions`, { token });

  it('returns tokens after the approval, and notifies the user', async () => {
    const codes = await program.start({ client_id: 'a-client', surface: 'cli', device_name: 'a laptop\u0007' });
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'https://chat.example.com/console/device',
      expires_in: 600,
      interval: 5,
    });
    expect(await statusAndError(program.poll(codes.device_code))).toEqual([400, 'authorization_pending']);
    const typed = codes.user_code.toLowerCase().replace('-', ' ');
    const found = await program.lookUp(user.token, typed, { 'sec-fetch-site': 'same-origin' });
    expect(found.body).toEqual({
      client_id: 'a-client',
      surface: 'cli',
      device_name: 'a laptop',
      user_agent: 'a program',
      address: '127.0.0.1',
      scopes: ['anthropic', 'openai'],
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect((await program.decide(user.token, typed)).body).toEqual({ success: true, message: expect.any(String) });
    app.advanceClock(5 * SECOND);
    const answer = await program.poll(codes.device_code);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      refresh_token: expect.any(String),
      scope: 'anthropic openai',
      email: user.email,
    });
    expect(answer.body.expires_in).toBeGreaterThan(3_590);
    expect((await call(`${app.origin}/openai/v1/models`, { token: answer.body.access_token })).status).toBe(200);
    const mail = await app.mails.waitForMail(user.email, ({ text }) => text?.includes('a-client') ?? false);
    expect(mail.text).toContain('a laptop');
  });

  it('repeats its tokens for ten seconds, and then treats the code as stolen', async () => {
    const { device_code } = await program.approved(user.token);
    const first = await program.poll(device_code);
    app.advanceClock(9 * SECOND);
    const again = await program.poll(device_code);
    expect([again.body.access_token, again.body.refresh_token]).toEqual([
      first.body.access_token,
      first.body.refresh_token,
    ]);
    app.advanceClock(2 * SECOND);
    expect(await statusAndError(program.poll(device_code))).toEqual([400, 'expired_token']);
    expect(await statusAndError(program.refresh(first.body.refresh_token))).toEqual([401, 'invalid_grant']);
    expectFailure(await call(`${app.url}/chat`, { token: first.body.access_token }), 401, 'SESSION_REVOKED');
  });

  it('returns the same tokens to two polls at once', async () => {
    const { device_code } = await program.approved(user.token);
    const answers = await Promise.all([program.poll(device_code), program.poll(device_code)]);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.refresh_token}`)).size).toBe(1);
    expect((await sessions(user.token)).body.filter(({ kind }) => kind === 'device')).toHaveLength(1);
  });

  it('must poll slower when it polls too fast, which does not use the code', async () => {
    const { device_code, user_code } = await program.start();
    await program.poll(device_code);
    app.advanceClock(4 * SECOND);
    expect(await statusAndError(program.poll(device_code))).toEqual([400, 'slow_down']);
    await program.lookUp(user.token, user_code);
    await program.decide(user.token, user_code);
    app.advanceClock(9 * SECOND);
    expect(await statusAndError(program.poll(device_code))).toEqual([400, 'slow_down']);
    app.advanceClock(15 * SECOND);
    expect((await program.poll(device_code)).status).toBe(200);
  });

  it('is denied until the code expires', async () => {
    const { device_code, user_code } = await program.start();
    await program.lookUp(user.token, user_code);
    expect((await program.decide(user.token, user_code, 'deny')).status).toBe(200);
    for (const seconds of [0, 5, 5]) {
      app.advanceClock(seconds * SECOND);
      expect(await statusAndError(program.poll(device_code))).toEqual([400, 'access_denied']);
    }
    app.advanceClock(600 * SECOND);
    expect(await statusAndError(program.poll(device_code))).toEqual([400, 'expired_token']);
    expect((await sessions(user.token)).body).toHaveLength(1);
  });

  it('is denied if the user may no longer sign in when it polls', async () => {
    const { device_code } = await program.approved(user.token);
    await admin.post(`/admin/users/${user.user.id}/ban`, { reason: 'Sends spam.' });
    expect(await statusAndError(program.poll(device_code))).toEqual([400, 'access_denied']);
  });

  it('is decided once, by one of two concurrent decisions', async () => {
    const { user_code } = await program.start();
    await program.lookUp(user.token, user_code);
    const answers = await Promise.all([
      program.decide(user.token, user_code),
      program.decide(user.token, user_code, 'deny'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expectFailure(await program.decide(user.token, user_code), 400, 'INVALID_CODE');
    expectFailure(await program.lookUp(user.token, user_code), 400, 'INVALID_CODE');
  });

  it('belongs to the first user who looks the code up', async () => {
    const stranger = await createUser(app);
    const { user_code } = await program.start();
    expectFailure(await program.decide(user.token, user_code), 400, 'INVALID_CODE');
    const answers = await Promise.all([user, stranger].map(({ token }) => program.lookUp(token, user_code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const [winner, loser] = answers[0]?.status === 200 ? [user, stranger] : [stranger, user];
    expectFailure(await program.decide(loser.token, user_code), 400, 'INVALID_CODE');
    expect((await program.lookUp(winner.token, user_code)).status).toBe(200);
    expect((await program.decide(winner.token, user_code)).status).toBe(200);
  });

  it('limits wrong codes by user, even if they come at once', async () => {
    const { user_code } = await program.start();
    const guesses = Array.from({ length: 12 }, () => program.lookUp(user.token, 'BBBB-BBBB'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expectFailure(await program.lookUp(user.token, user_code), 429, 'RATE_LIMIT_EXCEEDED');
    const other = await createUser(app);
    expect((await program.lookUp(other.token, user_code)).status).toBe(200);
    app.advanceClock(601 * SECOND);
    expectFailure(await program.lookUp(user.token, user_code), 400, 'INVALID_CODE');
  });

  it('does not count right codes as guesses', async () => {
    const { user_code } = await program.start();
    for (let times = 0; times < 12; times++) {
      expect((await program.lookUp(user.token, user_code)).status).toBe(200);
    }
  });

  it('is approved only by pages of this service, with the token of a browser', async () => {
    const { user_code } = await program.start();
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expectFailure(await program.lookUp(user.token, user_code, foreign), 403, 'FORBIDDEN');
    await program.lookUp(user.token, user_code);
    expectFailure(await program.decide(user.token, user_code, 'approve', foreign), 403, 'FORBIDDEN');
    const device = await program.signIn(user.token);
    expectFailure(await program.lookUp(device.access_token, user_code), 403, 'SCOPE_REQUIRED');
    const cookie = { cookie: `refresh_token=${user.refreshToken}`, 'sec-fetch-site': 'same-origin' };
    expectFailure(
      await call(`${app.url}/auth/device/lookup`, { body: { user_code }, headers: cookie }),
      401,
      'UNAUTHORIZED',
    );
    expectFailure(
      await call(`${app.url}/auth/device/decide`, { token: user.token, body: { user_code, decision: 'maybe' } }),
      422,
      'VALIDATION_ERROR',
    );
  });

  it('has errors in the format of OAuth for every request that is not valid', async () => {
    const { device_code } = await program.start();
    const long = 'x'.repeat(65);
    const expected: [answer: ReturnType<DeviceSignIn['poll']>, status: number, error: string][] = [
      [program.post('token', {}), 400, 'invalid_request'],
      [program.post('token', { grant_type: 'password' }), 400, 'unsupported_grant_type'],
      [program.post('token', { grant_type: DEVICE_GRANT }), 400, 'invalid_request'],
      [program.post('token', `grant_type=refresh_token&refresh_token=a&refresh_token=b`), 400, 'invalid_request'],
      [program.post('token', { grant_type: DEVICE_GRANT, device_code: 'unknown' }), 400, 'expired_token'],
      [program.refresh(user.refreshToken), 401, 'invalid_grant'],
      [program.post('device_authorization', { scope: 'admin:read' }), 400, 'invalid_scope'],
      [program.post('device_authorization', { scope: 'x'.repeat(257) }), 400, 'invalid_request'],
      [program.post('device_authorization', { device_name: long }), 400, 'invalid_request'],
      [program.post('revoke', {}), 400, 'invalid_request'],
      [call(`${app.origin}/oauth/token`, { body: { grant_type: DEVICE_GRANT, device_code } }), 400, 'invalid_request'],
      [call(`${app.origin}/oauth/token`), 405, 'invalid_request'],
      [call(`${app.origin}/anthropic/oauth/token`, { method: 'DELETE' }), 405, 'invalid_request'],
      [call(`${app.origin}/anthropic/oauth/nowhere`), 404, 'not_found'],
      [
        call(`${app.origin}/oauth/token`, { raw: 'x', method: 'POST', headers: { 'content-type': 'text/xml' } }),
        415,
        'invalid_request',
      ],
      [program.post('token', { grant_type: 'x'.repeat(20_000) }), 413, 'invalid_request'],
    ] as never;
    for (const [answer, status, error] of expected) {
      const { body, ...got } = await answer;
      expect([got.status, body]).toEqual([
        status,
        { error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/) },
      ]);
    }
  });

  it('is described by the metadata of both issuers', async () => {
    const read = async (path: string) => (await call(`${app.origin}${path}`)).body;
    const root = await read('/.well-known/oauth-authorization-server');
    expect(root).toEqual({
      issuer: 'https://chat.example.com',
      device_authorization_endpoint: 'https://chat.example.com/oauth/device_authorization',
      token_endpoint: 'https://chat.example.com/oauth/token',
      revocation_endpoint: 'https://chat.example.com/oauth/revoke',
      grant_types_supported: [DEVICE_GRANT, 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: expect.arrayContaining(['anthropic', 'openai', 'chat:read']),
      response_types_supported: [],
      gateway_protocol_version: 1,
    });
    const anthropic = await read('/.well-known/oauth-authorization-server/anthropic');
    expect(anthropic).toMatchObject({
      issuer: 'https://chat.example.com/anthropic',
      token_endpoint: 'https://chat.example.com/anthropic/oauth/token',
    });
    expect(await read('/anthropic/.well-known/oauth-authorization-server')).toEqual(anthropic);
  });

  it('has only the scope for the Anthropic-compatible API below its base', async () => {
    const below = new DeviceSignIn(app, '/anthropic');
    expect((await below.signIn(user.token, { surface: 'claude_code' })).scope).toBe('anthropic');
    expect((await below.signIn(user.token, { scope: 'chat:read  openai chat:read' })).scope).toBe('openai chat:read');
  });

  it('is turned off by administrators, but open sessions stay', async () => {
    const { refresh_token } = await program.signIn(user.token);
    const { device_code, user_code } = await program.start();
    await admin.put('/admin/settings', { device_login: 'off' });
    try {
      expect(await statusAndError(program.post('device_authorization', {}) as never)).toEqual([404, 'not_found']);
      expect(await statusAndError(program.poll(device_code))).toEqual([404, 'not_found']);
      expectFailure(await program.lookUp(user.token, user_code), 404, 'NOT_FOUND');
      expect((await call(`${app.origin}/.well-known/oauth-authorization-server`)).status).toBe(404);
      expect((await call(`${app.origin}/console/device`)).status).toBe(404);
      const { status, body } = await program.refresh(refresh_token);
      expect(status).toBe(200);
      expect((await program.post('revoke', { token: body.refresh_token })).status).toBe(200);
    } finally {
      await admin.put('/admin/settings', { device_login: 'on' });
    }
  });

  it('limits the codes of an address', async () => {
    const database = app.app.get(Database);
    await database.write((manager) => manager.clear(DeviceCodeEntity));
    for (let times = 0; times < 97; times++) await program.start();
    const atOnce = await Promise.all(Array.from({ length: 12 }, () => program.post('device_authorization', {})));
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(3);
    const { status, body, headers } = await program.post('device_authorization', {});
    expect([status, body.error]).toEqual([429, 'slow_down']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(590);
    app.advanceClock(601 * SECOND);
    await program.start();
  });

  it('leaves no session of a program that never fetched its tokens', async () => {
    await program.approved(user.token);
    const [device] = (await sessions(user.token)).body;
    expect(device).toMatchObject({ kind: 'device', last_used_at: null });
    app.advanceClock(601 * SECOND);
    await app.app.get(DeviceCodeRetention).clean();
    expect((await sessions(user.token)).body.map(({ kind }) => kind)).toEqual(['browser']);
    expect(await app.app.get(Database).repository(DeviceCodeEntity).count()).toBe(0);
  });
});

describe('the rate limit of a command-line program', () => {
  const app = useOwnTestApp({ RATE_LIMIT_ANONYMOUS: '8' });

  it('lets a valid code poll, and counts unknown codes against the address', async () => {
    const program = new DeviceSignIn(app);
    const { device_code } = await program.start();
    for (let times = 0; times < 40; times++) {
      expect((await program.poll(device_code)).body.error).toMatch(/authorization_pending|slow_down/);
    }
    const unknown = await Promise.all(Array.from({ length: 9 }, () => program.poll('unknown')));
    expect(unknown.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(2);
    const limited = await program.post('device_authorization', {});
    expect([limited.status, limited.body.error]).toEqual([429, 'slow_down']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a link with the code', () => {
  const app = useOwnTestApp({ DEVICE_CODE_IN_LINK: 'true', DEVICE_CODE_TTL: '120' });

  it('is only sent if the operator allows it', async () => {
    const codes = await new DeviceSignIn(app).start();
    expect(codes).toMatchObject({
      expires_in: 120,
      verification_uri_complete: `${app.origin}/console/device?user_code=${codes.user_code}`,
    });
  });
});
