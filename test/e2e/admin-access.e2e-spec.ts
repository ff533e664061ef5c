import { Database } from '../../src/database/database';
import { type AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, PASSWORD } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

const HOUR = 3_600_000;

describe('revoking access', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const me = (token: string) => call(`${app.url}/auth/me`, { token });

  it('bans from the next request on, including the login, and lifts the ban again', async () => {
    const { user, token, email, refreshToken } = await createUser(app);
    expect((await me(token)).status).toBe(200);
    const banned = await admin.post<AdminUserDto>(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' });
    expect(banned.body.message).toBe('User banned.');
    expect(banned.body.data).toMatchObject({ status: 'banned', ban_reason: 'Sends spam.', banned_until: null });
    expectFailure(await me(token), 403, 'ACCOUNT_BANNED');
    const login = await call(`${app.url}/auth/login`, { body: { email, password: PASSWORD } });
    expectFailure(login, 403, 'ACCOUNT_BANNED');
    const refreshed = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: refreshToken } });
    expectFailure(refreshed, 403, 'ACCOUNT_BANNED');
    const unbanned = await admin.post<AdminUserDto>(`/admin/users/${user.id}/unban`);
    expect(unbanned.body.data).toMatchObject({ status: 'active', ban_reason: null });
    expect((await me(token)).status).toBe(200);
  });

  it('ends a ban when it expires', async () => {
    const { user, token } = await createUser(app);
    const until = new Date(Date.now() + HOUR).toISOString();
    await admin.post(`/admin/users/${user.id}/ban`, { reason: 'Cool down.', until });
    expectFailure(await me(token), 403, 'ACCOUNT_BANNED');
    await app.app
      .get(Database)
      .write((manager) => manager.update(UserEntity, { id: user.id }, { bannedUntil: new Date(Date.now() - 1) }));
    const { body } = await admin.put<AdminUserDto>(`/admin/users/${user.id}`, { note: 'Has cooled down.' });
    expect(body.data).toMatchObject({ status: 'active', ban_reason: null, banned_until: null });
    expect((await me(token)).status).toBe(200);
  });

  it.each(['tomorrow', '2020-01-01T00:00:00Z'])('refuses a ban until %s, and bans no user', async (until) => {
    const { user, token } = await createUser(app);
    const body = { reason: 'x', until };
    const error = expectFailure(await admin.post(`/admin/users/${user.id}/ban`, body), 422, 'VALIDATION_ERROR');
    expect(error.details.field).toBe('until');
    expect((await me(token)).status).toBe(200);
  });

  it('logs a user out everywhere', async () => {
    const { user, token, refreshToken } = await createUser(app);
    expect((await me(token)).status).toBe(200);
    expect((await admin.post(`/admin/users/${user.id}/revoke_sessions`)).status).toBe(200);
    expectFailure(await me(token), 401, 'SESSION_REVOKED');
    const refreshed = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: refreshToken } });
    expect(refreshed.status).toBe(401);
  });

  it('closes an account as its owner would, and notifies the owner', async () => {
    const { user, token, email } = await createUser(app);
    const closed = await admin.delete<{ id: number; erase_at: string }>(`/admin/users/${user.id}`);
    expect(closed.body).toMatchObject({
      success: true,
      message: expect.stringMatching(/^The account is closed\. Its content will be erased on .* 20\d\d\./),
      data: { id: user.id },
    });
    expect(Date.parse(closed.body.data.erase_at)).toBeGreaterThan(Date.now() + 6 * 24 * HOUR);
    expectFailure(await me(token), 401, 'SESSION_REVOKED');
    expect((await admin.get(`/admin/users/${user.id}`)).body.data).toMatchObject({ status: 'closed', erasure: 'due' });
    expect((await admin.delete(`/admin/users/${user.id}`)).status).toBe(404);
    expect((await app.mails.waitForMail(email)).subject).toMatch(/deleted/);
  });
});
