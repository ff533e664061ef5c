import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { type UserDto } from '../../src/modules/user/account/user.dto';
import { PasswordService } from '../../src/modules/user/passwords/password.service';
import { createUser, newcomer, receiveCode, registerUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

describe('accounts', () => {
  const app = useTestApp();
  const post = <Body = unknown>(path: string, body: unknown, token?: string) =>
    call<Body>(`${app.url}${path}`, { method: 'POST', body, token });
  const me = (token: string) => call<UserDto>(`${app.url}/auth/me`, { token });
  it('registers a user with a code from a mail, and returns the user', async () => {
    const registration = newcomer();
    const sent = await post('/auth/send_code', { email: registration.email, purpose: 'register', lang: 'en' });
    expect(sent.status).toBe(200);
    expect(sent.body).toEqual({ success: true, message: expect.any(String) });
    const mail = await app.mails.waitForMail(registration.email);
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0];

    const answer = await post<TokenPairDto>('/auth/register', { ...registration, code, lang: 'en' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{43,}$/),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_expires_in: expect.closeTo(2_592_000, -2),
    });

    const user = await me(answer.body.access_token);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(user.body).toEqual({
      id: expect.any(Number),
      username: registration.username,
      email: registration.email,
      user_type: 'normal',
      membership_type: 'free',
      membership_expires_at: null,
      status: 'active',
      avatar: null,
      language: 'en',
      last_login_at: time,
      created_at: time,
      updated_at: time,
    });
    const alias = await call(`${app.url}/users/me`, { token: answer.body.access_token });
    expect(alias.body).toEqual(user.body);
  });

  it('logs in with the password, with the address in any case', async () => {
    const { email, password, user } = await registerUser(app);
    const answer = await post<TokenPairDto>('/auth/login', { email: `  ${email.toUpperCase()} `, password });
    expect(answer.status).toBe(200);
    expect((await me(answer.body.access_token)).body.id).toBe(user.id);
  });

  it('accepts passwords in either Unicode form', async () => {
    const { email } = await registerUser(app, { password: 'Straße-Ångström'.normalize('NFD') });
    const answer = await post('/auth/login', { email, password: 'Straße-Ångström'.normalize('NFC') });
    expect(answer.status).toBe(200);
  });

  it('logs in with null for the other proof', async () => {
    const { email, password } = await createUser(app);
    expect((await post('/auth/login', { email, password, verification_code: null })).status).toBe(200);
    const verification_code = await receiveCode(app, email, 'login');
    expect((await post('/auth/login', { email, password: null, verification_code })).status).toBe(200);
    const neither = await post('/auth/login', { email, password: null, verification_code: null });
    expectFailure(neither, 422, 'VALIDATION_ERROR');
  });

  it.each([
    ['/auth/verify', 'code'],
    ['/auth/login', 'verification_code'],
  ])('logs in at %s with a code, once', async (path, field) => {
    const { email, user } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    const answer = await post<TokenPairDto>(path, { email, [field]: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
    expect(answer.status).toBe(200);
    expect((await me(answer.body.access_token)).body.id).toBe(user.id);
    expectFailure(await post(path, { email, [field]: code }), 400, 'INVALID_CODE');
  });

  it('reports after a correct code that there is no account, and accepts the code for the registration', async () => {
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    for (let times = 0; times < 7; times++) {
      const error = expectFailure(
        await post('/auth/verify', { email: registration.email, code }),
        404,
        'USER_NOT_FOUND',
      );
      expect(error.details).toEqual({ field: 'email', reason: 'not_registered' });
    }
    expect((await post('/auth/register', { ...registration, code })).status).toBe(200);
    expectFailure(await post('/auth/verify', { email: registration.email, code }), 400, 'INVALID_CODE');
  });

  it('keeps a code usable when the username is taken, even in another case', async () => {
    const { user } = await createUser(app);
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const taken = { ...registration, code, username: user.username.toUpperCase() };
    const error = expectFailure(await post('/auth/register', taken), 409, 'USERNAME_TAKEN');
    expect(error.details).toMatchObject({ field: 'username' });
    expect((await post('/auth/register', { ...registration, code })).status).toBe(200);
  });

  it('refuses a code for another purpose', async () => {
    const { email } = await createUser(app);
    const login = await receiveCode(app, email, 'login');
    const body = { email, code: login, new_password: 'another long password' };
    expectFailure(await post('/auth/reset_password', body), 400, 'INVALID_CODE');
    const reset = await receiveCode(app, email, 'reset_password');
    expectFailure(await post('/auth/verify', { email, code: reset }), 400, 'INVALID_CODE');
  });

  it('sets a new password with a code, ends every session and notifies the user', async () => {
    const account = await registerUser(app);
    const code = await receiveCode(app, account.email, 'reset_password');
    const body = { email: account.email, code, new_password: account.user.username };
    const refused = expectFailure(await post('/auth/reset_password', body), 422, 'VALIDATION_ERROR');
    expect(refused.details).toMatchObject({ field: 'new_password', reason: 'password_is_username' });

    const answer = await post('/auth/reset_password', { ...body, new_password: 'an even longer password' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    await app.mails.waitForMail(account.email, ({ subject }) => /changed/.test(subject ?? ''));

    expectFailure(await me(account.token), 401, 'SESSION_REVOKED');
    const refresh = await post('/auth/refresh_token', { refresh_token: account.refreshToken });
    expectFailure(refresh, 401, 'REFRESH_TOKEN_INVALID');
    const old = await post('/auth/login', { email: account.email, password: account.password });
    expectFailure(old, 401, 'INVALID_CREDENTIALS');
    const fresh = await post('/auth/login', { email: account.email, password: 'an even longer password' });
    expect(fresh.status).toBe(200);
    expectFailure(
      await post('/auth/reset_password', { ...body, new_password: 'yet another one' }),
      400,
      'INVALID_CODE',
    );
  });

  it('changes the password with the current one and ends the other sessions only', async () => {
    const account = await registerUser(app);
    const other = await post<TokenPairDto>('/auth/login', { email: account.email, password: account.password });
    const change = { current_password: 'wrong password', new_password: 'an even longer password' };
    expectFailure(await post('/user/change_password', change, account.token), 401, 'INVALID_CREDENTIALS');

    const right = { ...change, current_password: account.password };
    expect((await post('/user/change_password', right, account.token)).status).toBe(200);
    await app.mails.waitForMail(account.email, ({ subject }) => /changed/.test(subject ?? ''));
    expect((await me(account.token)).status).toBe(200);
    expectFailure(await me(other.body.access_token), 401, 'SESSION_REVOKED');
    const old = await post('/auth/login', { email: account.email, password: account.password });
    expectFailure(old, 401, 'INVALID_CREDENTIALS');
    const fresh = { email: account.email, password: change.new_password };
    expect((await post('/auth/login', fresh)).status).toBe(200);
  });

  describe('a password in concurrent changes', () => {
    /** Delays the next `count` changes between the check of the current password and the write of the new one. */
    function holdChanges(count: number): { areHeld: () => boolean; release: () => void } {
      const passwords = app.app.get(PasswordService);
      const hash = passwords.hash.bind(passwords);
      const waiting: (() => void)[] = [];
      const spy = jest.spyOn(passwords, 'hash').mockImplementation(async (password) => {
        if (waiting.length < count) {
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        return hash(password);
      });
      const release = (): void => {
        spy.mockRestore();
        waiting.forEach((goOn) => goOn());
      };
      return { areHeld: () => waiting.length === count, release };
    }
    const change = (account: { token: string; password: string }, new_password: string) =>
      post('/user/change_password', { current_password: account.password, new_password }, account.token);
    const login = (email: string, password: string) => post('/auth/login', { email, password });

    it('is one of the two', async () => {
      const account = await registerUser(app);
      const held = holdChanges(2);
      const wanted = ['one long new password', 'another long new password'];
      const changes = wanted.map((password) => change(account, password));
      await eventually(held.areHeld);
      held.release();
      const answers = await Promise.all(changes);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
      for (const [index, answer] of answers.entries()) {
        const after = await login(account.email, wanted[index] ?? '');
        expect(after.status).toBe(answer.status);
        if (answer.status === 401) expectFailure(answer, 401, 'INVALID_CREDENTIALS');
      }
    });

    it('is the password from a reset during a change', async () => {
      const account = await registerUser(app);
      const code = await receiveCode(app, account.email, 'reset_password');
      const held = holdChanges(1);
      const late = change(account, 'what the thief would like');
      await eventually(held.areHeld);
      const new_password = 'what the owner has set';
      expect((await post('/auth/reset_password', { email: account.email, code, new_password })).status).toBe(200);
      held.release();
      expectFailure(await late, 401, 'INVALID_CREDENTIALS');
      expect((await login(account.email, new_password)).status).toBe(200);
    });

    it('is not the password from a reset if a change completed first', async () => {
      const account = await registerUser(app);
      const { email } = account;
      const reset = {
        email,
        code: await receiveCode(app, email, 'reset_password'),
        new_password: 'what came too late',
      };
      const held = holdChanges(1);
      const late = post('/auth/reset_password', reset);
      await eventually(held.areHeld);
      expect((await change(account, 'what the owner has set')).status).toBe(200);
      held.release();
      expectFailure(await late, 400, 'INVALID_CODE');
      expect((await login(email, 'what the owner has set')).status).toBe(200);
      expect((await post('/auth/reset_password', reset)).status).toBe(200);
    });
  });

  it('answers in the requested language', async () => {
    const { email } = newcomer();
    const german = await post('/auth/login', { email, password: 'wrong password', lang: 'de' });
    const english = await post('/auth/login', { email, password: 'wrong password', lang: 'xx' });
    expect(expectFailure(german, 401, 'INVALID_CREDENTIALS').message).toMatch(/Passwort/);
    expect(expectFailure(english, 401, 'INVALID_CREDENTIALS').message).toMatch(/password/);
    await post('/auth/send_code', { email, purpose: 'register', lang: 'fr' });
    expect((await app.mails.waitForMail(email)).subject).toMatch(/code de confirmation/i);
  });
});
