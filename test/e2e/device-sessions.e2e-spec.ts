// @databases mariadb mysql: concurrent refreshes, and ends of sessions
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { DeviceTokenDto } from '../../src/modules/device/oauth/oauth.dto';
import type { AdminSessionDto } from '../../src/modules/user/sessions/admin-session.dto';
import type { SessionDto } from '../../src/modules/user/sessions/session.dto';
import { createUser, logIn, PASSWORD, type TestAccount } from '../support/accounts';
import type { PageBody } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { DeviceSignIn } from '../support/device-sign-in';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const SECOND = 1_000;
const ALL_SCOPES = 'anthropic openai chat:read chat:write agents:read usage:read actions:decide';

describe('the session of a command-line program', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let program: DeviceSignIn;
  let user: TestAccount;
  let device: DeviceTokenDto;

  beforeAll(() => {
    program = new DeviceSignIn(app);
  });

  beforeEach(async () => {
    app.resetClock();
    app.freezeClock();
    user = await createUser(app);
    device = await program.signIn(user.token, { client_id: 'a-client', surface: 'cli', scope: ALL_SCOPES });
  });

  const sessions = async (token = user.token) => (await call<SessionDto[]>(`${app.url}/user/sessions`, { token })).body;
  const read = (token = device.access_token) => call(`${app.url}/chat`, { token });
  const refreshed = async (token: string) => {
    const { status, body } = await program.refresh(token);
    expect(status).toBe(200);
    return body;
  };
  const expectOver = async (token: string) => {
    const { status, body } = await program.refresh(token);
    expect([status, body.error]).toEqual([401, 'invalid_grant']);
  };

  it('is listed with its program and scopes', async () => {
    expect(await sessions()).toEqual([
      {
        id: expect.any(Number),
        kind: 'device',
        client: { client_id: 'a-client', surface: 'cli', device_name: null, user_agent: 'a program' },
        scopes: ALL_SCOPES.split(' '),
        created_at: expect.any(String),
        last_used_at: null,
        address: '127.0.0.1',
        ip: '127.0.0.1',
        user_agent: 'a program',
        current: false,
      },
      expect.objectContaining({ kind: 'browser', scopes: null, current: true }),
    ]);
    app.advanceClock(SECOND);
    await refreshed(device.refresh_token);
    expect((await sessions())[0]?.last_used_at).not.toBeNull();
  });

  it('opens what an API key with its scopes opens, and nothing else', async () => {
    const paths = [
      '/chat',
      '/agents',
      '/user/quota',
      '/auth/me',
      '/user/sessions',
      '/user/api-keys',
      '/user/identities',
    ];
    const others = ['/user/export', '/admin/users', '/webhooks', '/users/me', '/events/ticket', '/user/actions'];
    const scopes = ALL_SCOPES.split(' ').filter((scope) => scope !== 'anthropic');
    const { key } = await makeKey(app, user.token, { scopes });
    for (const path of [...paths, ...others]) {
      const [ofKey, ofDevice] = await Promise.all(
        [key, device.access_token].map((token) => call(app.url + path, { token })),
      );
      expect([path, ofDevice?.status]).toEqual([path, ofKey?.status]);
    }
    const reader = await program.signIn(user.token, { scope: 'chat:read' });
    expect((await read(reader.access_token)).status).toBe(200);
    expectFailure(await call(`${app.url}/chat`, { token: reader.access_token, body: {} }), 403, 'SCOPE_REQUIRED');
    expect((await call(`${app.origin}/openai/v1/models`, { token: reader.access_token })).status).toBe(403);
    expectFailure(
      await call(`${app.url}/auth/logout`, { token: device.access_token, method: 'POST' }),
      403,
      'SCOPE_REQUIRED',
    );
  });

  it('replaces the refresh token at each use, and repeats the pair for ten seconds', async () => {
    const [one, other] = await Promise.all([
      program.refresh(device.refresh_token),
      program.refresh(device.refresh_token),
    ]);
    expect(other.body).toEqual(one.body);
    expect(one.body.refresh_token).not.toBe(device.refresh_token);
    app.advanceClock(9 * SECOND);
    const late = await refreshed(device.refresh_token);
    expect([late.access_token, late.refresh_token]).toEqual([one.body.access_token, one.body.refresh_token]);
    expect((await read(late.access_token)).status).toBe(200);
  });

  it('survives the use of the previous token by a terminal that slept', async () => {
    const next = await refreshed(device.refresh_token);
    app.advanceClock(3_599 * SECOND);
    await expectOver(device.refresh_token);
    await refreshed(next.refresh_token);
  });

  it('ends when the previous token is used later than access tokens live', async () => {
    const next = await refreshed(device.refresh_token);
    app.advanceClock(3_601 * SECOND);
    await expectOver(device.refresh_token);
    await expectOver(next.refresh_token);
  });

  it('ends when an older token is used', async () => {
    const next = await refreshed(device.refresh_token);
    const last = await refreshed(next.refresh_token);
    await expectOver(device.refresh_token);
    await expectOver(last.refresh_token);
    expectFailure(await read(last.access_token), 401, 'SESSION_REVOKED');
  });

  it('has tokens that do not work at the route of browsers, without harm to the session', async () => {
    const body = { refresh_token: device.refresh_token };
    expectFailure(await call(`${app.url}/auth/refresh_token`, { body }), 401, 'REFRESH_TOKEN_INVALID');
    await expectOver(user.refreshToken);
    await refreshed(device.refresh_token);
    expect((await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: user.refreshToken } })).status).toBe(
      200,
    );
  });

  it('lasts thirty days from its last use', async () => {
    app.advanceClock(29 * 86_400 * SECOND);
    const next = await refreshed(device.refresh_token);
    app.advanceClock(29 * 86_400 * SECOND);
    const last = await refreshed(next.refresh_token);
    app.advanceClock(31 * 86_400 * SECOND);
    await expectOver(last.refresh_token);
  });

  it.each(['access_token', 'refresh_token'] as const)('is ended by its %s (RFC 7009)', async (name) => {
    const answer = await program.post('revoke', { token: device[name], token_type_hint: 'something' });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expectFailure(await read(), 401, 'SESSION_REVOKED');
    expect((await program.post('revoke', { token: device[name] })).status).toBe(200);
  });

  it('is the only session that revocation ends', async () => {
    for (const token of [user.token, user.refreshToken, 'unknown', 'a.b.c']) {
      expect((await program.post('revoke', { token })).status).toBe(200);
    }
    expect((await sessions()).map(({ kind }) => kind)).toEqual(['device', 'browser']);
  });

  const byUser = (path: string, method: string, body?: object) =>
    call(app.url + path, { token: user.token, method, body });

  it.each<[string, () => Promise<unknown>]>([
    ['its user', async () => byUser(`/user/sessions/${(await sessions())[0]?.id}`, 'DELETE')],
    ['the end of all other sessions', () => byUser('/user/sessions', 'DELETE')],
    ['an administrator', async () => admin.delete(`/admin/sessions/${(await sessions())[0]?.id}`)],
    ['the end of all sessions', () => admin.post(`/admin/users/${user.user.id}/revoke_sessions`)],
    ['a ban', () => admin.post(`/admin/users/${user.user.id}/ban`, { reason: 'Sends spam.' })],
    [
      'a new password',
      () => byUser('/user/change_password', 'POST', { current_password: PASSWORD, new_password: 'another pass 17' }),
    ],
    ['the closure of the account', () => byUser('/user/account', 'DELETE', { password: PASSWORD })],
  ])('is ended by %s, and this is reported', async (_by, end) => {
    const [session] = await sessions();
    const { status } = (await end()) as { status: number };
    expect(status).toBe(200);
    expect((await read()).status).toBeGreaterThanOrEqual(401);
    await expectOver(device.refresh_token);
    const { items } = (await admin.get<PageBody<AuditLogDto>>(`/admin/audit_logs?target=session:${session?.id}`)).body
      .data;
    expect(items.map(({ action }) => action).sort()).toEqual(['session.approve', 'session.end']);
  });

  it('publishes its approval, and its end once', async () => {
    const published: DomainEvent[] = [];
    for (const type of ['device.approved', 'device.revoked']) {
      app.app.get(DomainEvents).on(type, (event) => Promise.resolve(void published.push(event)));
    }
    const { refresh_token } = await program.signIn(user.token, { client_id: 'a-client' });
    const [session] = await sessions();
    await Promise.all([
      program.post('revoke', { token: refresh_token }),
      program.post('revoke', { token: refresh_token }),
    ]);
    const data = { user_id: user.user.id, session_id: session?.id, client_id: 'a-client', surface: null };
    expect(published.filter(({ userId }) => userId === user.user.id).map((event) => [event.type, event.data])).toEqual([
      ['device.approved', data],
      ['device.revoked', data],
    ]);
  });

  it('stays ended after a ban', async () => {
    await admin.post(`/admin/users/${user.user.id}/ban`, { reason: 'Sends spam.' });
    await admin.post(`/admin/users/${user.user.id}/unban`);
    expectFailure(await read(), 401, 'SESSION_REVOKED');
    expect((await sessions()).map(({ kind }) => kind)).toEqual(['browser']);
  });

  it('survives the logout of the browser that approved it', async () => {
    await call(`${app.url}/auth/logout`, { method: 'POST', token: user.token });
    expect((await read()).status).toBe(200);
  });

  it('is one of at most twenty; the one unused for longest ends', async () => {
    app.advanceClock(SECOND);
    for (let count = 1; count < 20; count++) await program.signIn(user.token);
    app.advanceClock(SECOND);
    const kept = await refreshed(device.refresh_token);
    await program.signIn(user.token);
    expect((await sessions()).filter(({ kind }) => kind === 'device')).toHaveLength(20);
    await refreshed(kept.refresh_token);
  });

  it('is listed for administrators, and filtered by kind and user', async () => {
    await logIn(app, user.user.id);
    const list = async (query: string) =>
      (await admin.get<PageBody<AdminSessionDto>>(`/admin/sessions?user_id=${user.user.id}${query}`)).body.data;
    expect((await list('&kind=device')).items).toEqual([
      expect.objectContaining({ kind: 'device', user_id: user.user.id, username: user.user.username }),
    ]);
    expect((await list('&kind=browser')).pagination.total).toBe(2);
    expect((await list('&size=1')).pagination).toMatchObject({ total: 3, pages: 3 });
    expect((await admin.get('/admin/sessions?kind=other')).status).toBe(400);
    expect((await admin.delete('/admin/sessions/999999999')).status).toBe(404);
    expectFailure(await call(`${app.url}/admin/sessions`, { token: user.token }), 403, 'FORBIDDEN');
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    expectFailure(await call(`${app.url}/admin/sessions`, { token: key }), 403, 'SCOPE_REQUIRED');
  });
});
