// @databases mariadb: statements written by hand
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Database } from '../../src/database/database';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, newcomer, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { makeSignIn } from '../support/provider-sign-ins';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('the setting password_login', () => {
  const app = useOwnTestApp({ RATE_LIMIT_AUTH: '1000', RATE_LIMIT_ANONYMOUS: '1000' });
  const admin = useAdmin(app);
  const post = (path: string, body: unknown, token?: string) =>
    call(`${app.url}${path}`, { method: 'POST', body, token });
  const set = (rule: string) => admin.put('/admin/settings', { password_login: rule });
  const rows = () => app.app.get(Database);

  const signedIn = (userId: number, at: Date, fields: object = {}) => makeSignIn(app, admin, { userId, at, fields });

  const forgetSignIns = () => rows().write((manager) => manager.clear(IdentityEntity));

  afterEach(async () => {
    await set('everyone');
    await forgetSignIns();
  });

  const wrongPassword = (email: string) => post('/auth/login', { email, password: 'wrong password' });

  it('is changed with access tokens only, which is logged', async () => {
    const changed = await set('admins');
    expect(changed.body.data).toMatchObject({ password_login: 'admins' });
    expect(await admin.entriesOf(changed)).toMatchObject([
      { action: 'settings.update', before: { password_login: 'everyone' }, after: { password_login: 'admins' } },
    ]);
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:write'] });
    const put = (body: object) => call(`${app.url}/admin/settings`, { method: 'PUT', token: key, body });
    expectFailure(await put({ password_login: 'everyone' }), 403, 'SCOPE_REQUIRED');
    expect((await put({ password_login: 'admins', registration_enabled: true })).status).toBe(200);
    expectFailure(await set('nobody'), 422, 'VALIDATION_ERROR');
  });

  describe('off', () => {
    it('requires an administrator who signed in with a provider within the last day', async () => {
      const { user } = await createUser(app);
      const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
      expectFailure(await set('off'), 409, 'LAST_LOGIN_METHOD');
      await signedIn(user.id, hours(1));
      expectFailure(await set('off'), 409, 'LAST_LOGIN_METHOD');
      await signedIn(admin.id, hours(25));
      expectFailure(await set('off'), 409, 'LAST_LOGIN_METHOD');
      await signedIn(admin.id, hours(1), { is_active: false });
      expectFailure(await set('off'), 409, 'LAST_LOGIN_METHOD');
      await signedIn(admin.id, hours(23));
      expect((await set('off')).status).toBe(200);
    });

    it('closes login, verify, register and reset for every address alike, and sends no mail', async () => {
      const { email, refreshToken } = await createUser(app);
      await signedIn(admin.id, new Date());
      await set('off');
      for (const address of [email, admin.account.email, newcomer().email]) {
        const code = { email: address, code: '123456' };
        const answers = [
          await post('/auth/login', { email: address, password: PASSWORD }),
          await post('/auth/login', { email: address, verification_code: '123456' }),
          await post('/auth/verify', code),
          await post('/auth/register', { ...newcomer({ email: address }), code: '123456' }),
          await post('/auth/reset_password', { ...code, new_password: 'another long password' }),
          ...(await Promise.all(
            ['login', 'register', 'reset_password'].map((purpose) =>
              post('/auth/send_code', { email: address, purpose }),
            ),
          )),
        ];
        for (const answer of answers) expectFailure(answer, 403, 'PASSWORD_LOGIN_DISABLED');
      }
      const refreshed = await post('/auth/refresh_token', { refresh_token: refreshToken });
      expect(refreshed.status).toBe(200);
      const token = await call(`${app.url}/auth/token`, {
        raw: `grant_type=password&username=${email}&password=${PASSWORD}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expectFailure(token, 403, 'PASSWORD_LOGIN_DISABLED');
    });

    it('keeps sessions and keys, and sends codes to signed-in users for themselves', async () => {
      const account = await createUser(app);
      const { key } = await makeKey(app, account.token);
      await signedIn(admin.id, new Date());
      await set('off');
      expect((await call(`${app.url}/auth/me`, { token: account.token })).status).toBe(200);
      expect((await call(`${app.url}/chat`, { token: key })).status).toBe(200);
      const send = (purpose: string, token?: string) =>
        post('/auth/send_code', { email: account.email, purpose }, token);
      expectFailure(await send('reset_password', account.token), 403, 'PASSWORD_LOGIN_DISABLED');
      expect((await send('login', account.token)).status).toBe(200);
      const mail = await app.mails.waitForMail(account.email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
      const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
      expectFailure(await post('/auth/verify', { email: account.email, code }), 403, 'PASSWORD_LOGIN_DISABLED');
      const close = { method: 'DELETE', token: account.token, body: { code } };
      expect((await call(`${app.url}/user/account`, close)).status).toBe(200);
    });
  });

  describe('admins', () => {
    it('refuses other users like a wrong password and code, and signs in administrators', async () => {
      const { email } = await createUser(app);
      const codes = { login: await receiveCode(app, email, 'login') };
      await set('admins');
      const right = await post('/auth/login', { email, password: PASSWORD });
      const wrong = await wrongPassword(email);
      expectFailure(right, 401, 'INVALID_CREDENTIALS');
      expect(sameOf(right)).toEqual(sameOf(wrong));
      const verified = await post('/auth/verify', { email, code: codes.login });
      expectFailure(verified, 400, 'INVALID_CODE');
      expect(sameOf(verified)).toEqual(sameOf(await post('/auth/verify', { email, code: '000000' })));
      expectFailure(await post('/auth/register', { ...newcomer(), code: '123456' }), 403, 'PASSWORD_LOGIN_DISABLED');
      const { email: address } = admin.account;
      expect((await post('/auth/login', { email: address, password: PASSWORD })).status).toBe(200);
      const code = await receiveCode(app, address, 'login');
      expect((await post('/auth/verify', { email: address, code })).status).toBe(200);
      expectFailure(await wrongPassword(address), 401, 'INVALID_CREDENTIALS');
    });

    it('sends other users no code', async () => {
      const account = await createUser(app);
      await set('admins');
      for (const purpose of ['login', 'reset_password']) {
        expect((await post('/auth/send_code', { email: account.email, purpose })).status).toBe(200);
      }
      // A signed-in user cannot send one to others either.
      const { email, token } = admin.account;
      const { email: other } = await createUser(app);
      expect((await post('/auth/send_code', { email: other, purpose: 'login' }, token)).status).toBe(200);
      expectFailure(await post('/auth/send_code', { email, purpose: 'register' }), 403, 'PASSWORD_LOGIN_DISABLED');
      // The next mail arrives, so earlier ones would have arrived too.
      await receiveCode(app, email, 'reset_password');
      expect([account.email, other].flatMap((address) => app.mails.mailsTo(address))).toEqual([]);
    });

    it('sets no new password for other users', async () => {
      const { email } = await createUser(app);
      const code = await receiveCode(app, email, 'reset_password');
      await set('admins');
      const reset = { email, code, new_password: 'another long password' };
      expectFailure(await post('/auth/reset_password', reset), 400, 'INVALID_CODE');
      await set('everyone');
      expect((await post('/auth/reset_password', reset)).status).toBe(200);
    });
  });

  describe('is reset by the command on the server', () => {
    /** The command of `npm run password-login`, without npm. */
    function run(...parameters: string[]): Promise<{ code: number | null; output: string }> {
      return runOn(app.environment.DATABASE_URL, parameters);
    }

    async function runOn(DATABASE_URL: string | undefined, parameters: string[]) {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL, NODE_ENV: 'production' };
      const child = spawn(process.execPath, [resolve(__dirname, '../../dist/password-login.js'), ...parameters], {
        env,
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      }
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output };
    }

    it('while the service runs, which is logged', async () => {
      await signedIn(admin.id, new Date());
      await set('off');
      expect(await run('everyone')).toEqual({ code: 0, output: 'Passwords and codes let in: everyone, not off.\n' });
      const { email } = admin.account;
      await eventually(async () => (await post('/auth/login', { email, password: PASSWORD })).status === 200);
      const [entry] = await admin.items<AuditLogDto>('/admin/audit_logs?action=settings.update&size=1');
      expect(entry).toMatchObject({
        actor_id: null,
        request_id: 'password-login',
        before: { password_login: 'off' },
        after: { password_login: 'everyone' },
      });
      expect(await run('everyone')).toEqual({ code: 0, output: 'Passwords and codes let in: everyone, as before.\n' });
    });

    it.each([[[]], [['off']], [['nobody']]])('and not closed by it (%j)', async (parameters) => {
      const { code, output } = await run(...parameters);
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('npm run password-login everyone') });
    });

    it("on the service's data: elsewhere it reports an error, and creates no database", async () => {
      const folder = await mkdtemp(join(tmpdir(), 'password-login-'));
      const [absent, empty] = [join(folder, 'absent.sqlite'), join(folder, 'empty.sqlite')];
      await writeFile(empty, '');
      for (const file of [absent, empty]) {
        const output = `The service has no tables in ${file}: run this in the folder of the service, with its DATABASE_URL.\n`;
        expect(await runOn(`sqlite:${file}`, ['everyone'])).toEqual({ code: 1, output });
      }
      expect(existsSync(absent)).toBe(false);
      await rm(folder, { recursive: true });
    });
  });

  it('does not open an account without its own login', async () => {
    const account: TestAccount = await createUser(app);
    const code = await receiveCode(app, account.email, 'login');
    await rows().write((manager) => manager.update(UserEntity, account.user.id, { localLogin: false }));
    expectFailure(await post('/auth/login', { email: account.email, password: PASSWORD }), 401, 'INVALID_CREDENTIALS');
    expectFailure(await post('/auth/verify', { email: account.email, code }), 400, 'INVALID_CODE');
    await rows().write((manager) => manager.update(UserEntity, account.user.id, { localLogin: true }));
    expect((await post('/auth/verify', { email: account.email, code })).status).toBe(200);
  });
});

/** The visible part of an error. */
function sameOf({ status, body }: { status: number; body: unknown }): object {
  const { error } = body as { error: object };
  return { status, error };
}
