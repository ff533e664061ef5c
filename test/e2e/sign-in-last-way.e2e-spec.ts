import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createAdmin, createUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { makeSignIn } from '../support/provider-sign-ins';
import { suspend } from '../support/suspensions';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('the last provider', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const signedIn = (userId: number, time: Date, fields: object = {}) =>
    makeSignIn(app, admin, { userId, at: time, fields });
  const at = (id: number) => `/admin/identity_providers/${id}`;
  const switchOff = (id: number) => admin.put(at(id), { is_active: false });
  const remove = (id: number) => admin.delete(`${at(id)}?force=true`);

  afterEach(async () => {
    await admin.put('/admin/settings', { password_login: 'everyone' });
    await app.app.get(Database).write((manager) => manager.clear(IdentityEntity));
  });

  it('for administrators stays while passwords are off: another must have signed in an administrator within the day', async () => {
    const now = new Date();
    const last = await signedIn(admin.id, now);
    await signedIn(admin.id, new Date(now.getTime() - 25 * 3_600_000));
    await signedIn(admin.id, now, { is_active: false });
    const providerId = await signedIn(admin.id, now);
    const unlinked = { unlinkedAt: now };
    await app.app.get(Database).write((manager) => manager.update(IdentityEntity, { providerId }, unlinked));
    await signedIn((await createUser(app)).user.id, now);
    const [banned, suspended] = [(await createAdmin(app)).user, (await createAdmin(app)).user];
    await admin.post(`/admin/users/${banned.id}/ban`, { reason: 'A quarrel.' });
    await suspend(app, suspended.id);
    await Promise.all([banned, suspended].map(({ id }) => signedIn(id, now)));
    await admin.put('/admin/settings', { password_login: 'off' });
    expectFailure(await switchOff(last), 409, 'LAST_LOGIN_METHOD');
    expectFailure(await remove(last), 409, 'LAST_LOGIN_METHOD');
    expect((await admin.get(at(last))).body.data).toMatchObject({ is_active: true });
    const another = await signedIn(admin.id, now);
    expect((await remove(last)).status).toBe(200);
    expectFailure(await remove(another), 409, 'LAST_LOGIN_METHOD');
  });

  it('for administrators stays if passwords are on, and no administrator may use one', async () => {
    const last = await signedIn(admin.id, new Date(0));
    const setLocalLogin = (localLogin: boolean) =>
      app.app.get(Database).write((manager) => manager.update(UserEntity, { userType: 'admin' }, { localLogin }));
    await setLocalLogin(false);
    expectFailure(await switchOff(last), 409, 'LAST_LOGIN_METHOD');
    expectFailure(await remove(last), 409, 'LAST_LOGIN_METHOD');
    await setLocalLogin(true);
    expect((await switchOff(last)).status).toBe(200);
    expect((await remove(last)).status).toBe(200);
  });

  it('is not switched off twice concurrently where each one alone could be', async () => {
    const [one, other] = [await signedIn(admin.id, new Date()), await signedIn(admin.id, new Date())];
    await admin.put('/admin/settings', { password_login: 'off' });
    const answers = await Promise.all([switchOff(one), switchOff(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is deleted with more identities than SQLite allows values in one statement', async () => {
    const { token, user } = await createUser(app);
    const userId = user.id;
    const providerId = await signedIn(userId, new Date());
    const of = { providerId, issuer: 'https://many.example', userId, linkedAt: new Date() };
    const many = Array.from({ length: 33_000 }, (_, index) => ({ ...of, subject: String(index) }));
    await app.app.get(Database).write((manager) => insertBatch(manager, IdentityEntity, many));
    expect((await remove(providerId)).status).toBe(200);
    expect((await call<object[]>(`${app.url}/user/identities`, { token })).body).toEqual([]);
  });

  it('for any user stays if the provider of the other identity is switched off', async () => {
    const { token, user } = await createUser(app, { localLogin: false });
    await signedIn(user.id, new Date());
    const other = await signedIn(user.id, new Date());
    const [identity] = (await call<{ id: number }[]>(`${app.url}/user/identities`, { token })).body;
    const unlink = () => call(`${app.url}/user/identities/${identity?.id}`, { method: 'DELETE', token });
    await switchOff(other);
    expectFailure(await unlink(), 409, 'LAST_LOGIN_METHOD');
    await admin.put(at(other), { is_active: true });
    expect((await unlink()).status).toBe(200);
  });
});
