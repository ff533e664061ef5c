import { Database } from '../../src/database/database';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, newcomer, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

describe('invalid input', () => {
  const app = useTestApp();
  const post = (path: string, body: unknown) => call(`${app.url}${path}`, { method: 'POST', body });
  const users = () =>
    app.app
      .get(Database)
      .repository(UserEntity)
      .find({ withDeleted: true, order: { id: 'ASC' } });

  it('is reported with its field, and creates no account', async () => {
    const before = await users();
    const error = expectFailure(await post('/auth/register', newcomer({ username: 'a' })), 422, 'VALIDATION_ERROR');
    const faults = [
      { field: 'username', reason: 'too_short' },
      { field: 'code', reason: 'required' },
    ];
    expect(error.details).toEqual({ ...faults[0], errors: expect.arrayContaining(faults) });
    expect(await users()).toEqual(before);
  });

  it('cannot grant a new account more rights', async () => {
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const raw = JSON.stringify({
      ...registration,
      code,
      id: 1,
      user_type: 'admin',
      userType: 'admin',
      membership_type: 'yearly',
      membershipType: 'yearly',
      membership_expires_at: '2099-01-01T00:00:00.000Z',
      status: 'banned',
      passwordHash: 'x',
      createdAt: '2000-01-01T00:00:00.000Z',
    }).replace(/}$/, ',"__proto__":{"userType":"admin"},"constructor":{"prototype":{"userType":"admin"}}}');
    const answer = await call(`${app.url}/auth/register`, { raw, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(200);
    const made = (await users()).find(({ email }) => email === registration.email);
    expect(made).toMatchObject({ userType: 'normal', membershipType: 'free', membershipExpiresAt: null });
    expect(made?.createdAt.getFullYear()).toBeGreaterThan(2020);
    expect(({} as { userType?: string }).userType).toBeUndefined();
  });

  it('may be a code in any form, which counts as a wrong code', async () => {
    for (const code of ['0', 'abcdef', '１２３４５６', '12345678901234567890', '-12345', '1e5']) {
      expectFailure(await post('/auth/verify', { email: 'ada@example.com', code }), 400, 'INVALID_CODE');
    }
  });

  it('may be unused names in all scripts', async () => {
    const { user } = await createUser(app);
    for (const username of ['李小龙', 'Ωμέγα', 'प्रिया', 'naïve.user-1', 'Łukasz_Żak', '𠮷田']) {
      const registration = newcomer({ username });
      const code = await receiveCode(app, registration.email, 'register');
      expect((await post('/auth/register', { ...registration, code })).status).toBe(200);
    }
    for (const username of ['ωμέγα', 'NAÏVE.user-1', 'nai\u0308ve.user-1', user.username.toUpperCase(), 'ΩΜΈΓΑ']) {
      const registration = newcomer({ username });
      const code = await receiveCode(app, registration.email, 'register');
      expectFailure(await post('/auth/register', { ...registration, code }), 409, 'USERNAME_TAKEN');
    }
  });
});
