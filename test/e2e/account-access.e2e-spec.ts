// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { LastAdminError } from '../../src/modules/user/account/user.errors';
import { AccountAdministrationService } from '../../src/modules/user/management/account-administration.service';
import { SettingsService } from '../../src/modules/user/settings/settings.service';
import { createAdmin, createUser, newcomer, PASSWORD, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

describe('access', () => {
  const app = useOwnTestApp();
  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  const post = (path: string, body: unknown) => call(`${app.url}${path}`, { method: 'POST', body });
  const write: Database['write'] = (work) => app.app.get(Database).write(work);
  const administration = () => app.app.get(AccountAdministrationService);
  it('ends with a ban on the very next request, in every way, and is restored when the ban ends', async () => {
    const { token, refreshToken, email, user } = await createUser(app);
    expect((await me(token)).status).toBe(200);
    await write((manager) => administration().ban(manager, user.id, 'spam', null));

    expectFailure(await me(token), 403, 'ACCOUNT_BANNED');
    expectFailure(await post('/auth/refresh_token', { refresh_token: refreshToken }), 403, 'ACCOUNT_BANNED');
    expectFailure(await post('/auth/login', { email, password: PASSWORD }), 403, 'ACCOUNT_BANNED');
    expectFailure(await post('/auth/login', { email, password: 'wrong password' }), 401, 'INVALID_CREDENTIALS');
    const code = await receiveCode(app, email, 'login');
    expectFailure(await post('/auth/verify', { email, code }), 403, 'ACCOUNT_BANNED');

    await write((manager) => administration().unban(manager, user.id));
    expect((await me(token)).status).toBe(200);
    expect((await post('/auth/verify', { email, code })).status).toBe(200);
  });

  it('is restored when a ban has expired, even while the identity is cached', async () => {
    const { token, user } = await createUser(app);
    const until = new Date(Date.now() + 60_000);
    await write((manager) => administration().ban(manager, user.id, null, until));
    expectFailure(await me(token), 403, 'ACCOUNT_BANNED');
    app.advanceClock(60_000);
    const answer = await me(token);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'active' });
  });

  it('is unchanged after a rollback', async () => {
    const { token, user } = await createUser(app);
    expect((await me(token)).status).toBe(200);
    const failing = write(async (manager) => {
      await administration().ban(manager, user.id, null, null);
      throw new Error('something else fails');
    });
    await expect(failing).rejects.toThrow('something else fails');
    expect((await me(token)).status).toBe(200);
  });

  it('always leaves one administrator, even in concurrent removals', async () => {
    const admins = [await createAdmin(app), await createAdmin(app), await createAdmin(app)];
    const outcomes = await Promise.allSettled(
      admins.map(({ user }) => write((manager) => administration().ban(manager, user.id, null, null))),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([expect.any(LastAdminError)]);
    expect(await app.app.get(Database).repository(UserEntity).countBy({ userType: 'admin', status: 'active' })).toBe(1);
  });

  it('by registration can be closed, completely or except for some domains', async () => {
    const settings = app.app.get(SettingsService);
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const send = (email: string) => post('/auth/send_code', { email, purpose: 'register' });

    await write((manager) => settings.update(manager, { allowed_email_domains: ['company.example'] }));
    const domain = expectFailure(await send(registration.email), 422, 'VALIDATION_ERROR');
    expect(domain.details).toMatchObject({ field: 'email', reason: 'not_allowed' });
    expectFailure(await post('/auth/register', { ...registration, code }), 422, 'VALIDATION_ERROR');
    expect((await send('ada@company.example')).status).toBe(200);

    await write((manager) => settings.update(manager, { registration_enabled: false }));
    const { email } = await createUser(app);
    for (const address of [email, newcomer().email, registration.email]) {
      expectFailure(await send(address), 403, 'REGISTRATION_DISABLED');
    }
    expectFailure(await post('/auth/register', { ...registration, code }), 403, 'REGISTRATION_DISABLED');
    expect((await post('/auth/send_code', { email, purpose: 'login' })).status).toBe(200);

    await write((manager) => settings.update(manager, { registration_enabled: true, allowed_email_domains: [] }));
    expect((await post('/auth/register', { ...registration, code })).status).toBe(200);
  });
});

describe('the first administrator', () => {
  const admin = { ADMIN_EMAIL: 'Root@Example.com', ADMIN_PASSWORD: 'the operator chose this' };
  const login = (url: string) =>
    call(`${url}/auth/login`, { body: { email: 'root@example.com', password: admin.ADMIN_PASSWORD } });
  const count = (instance: Pick<TestApp, 'app'>) =>
    instance.app.get(Database).repository(UserEntity).countBy({ userType: 'admin' });

  it('is created once, if configured, by any number of starting instances, and can log in', async () => {
    const app = await startTestApp();
    try {
      expect(await count(app)).toBe(0);
      const environment = { ...app.environment, ...admin };
      const isSqlite = databaseEngine() === 'sqlite';
      // A SQLite file belongs to one instance at a time.
      await (isSqlite ? app.app.close() : undefined);
      for (const instances of isSqlite ? [1, 1] : [3, 1]) {
        const started = await Promise.all(Array.from({ length: instances }, () => startInstance(environment)));
        try {
          for (const instance of started) {
            expect(await count(instance)).toBe(1);
            expect((await login(instance.url)).status).toBe(200);
          }
        } finally {
          await Promise.all(started.map((instance) => instance.app.close()));
        }
      }
    } finally {
      await app.close();
    }
  });

  it('is the existing user if the address already has an account', async () => {
    const other = await startTestApp();
    try {
      const { email } = await createUser(other);
      await other.app.close();
      const instance = await startInstance({ ...other.environment, ...admin, ADMIN_EMAIL: email });
      expect(await count(instance)).toBe(1);
      const body = { email, password: PASSWORD };
      expect((await call(`${instance.url}/auth/login`, { body })).status).toBe(200);
      await instance.app.close();
    } finally {
      await other.close();
    }
  });
});
