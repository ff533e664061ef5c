import type { CodePurpose } from '../../src/modules/auth/codes/verification-code.entity';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { createUser, newcomer, type Registration, type TestAccount } from '../../src/testing/test-accounts';
import { call } from './http';
import type { TestApp } from './test-app';

export * from '../../src/testing/test-accounts';

/** Requests a code and reads it from the mail. */
export async function receiveCode(
  app: TestApp,
  email: string,
  purpose: CodePurpose,
  more: object = {},
): Promise<string> {
  const answer = await call(`${app.url}/auth/send_code`, { body: { email, purpose, ...more } });
  if (answer.status !== 200) {
    throw new Error(`send_code answered ${answer.status}: ${answer.text}`);
  }
  const mail = await app.mails.waitForMail(email, ({ text }) => /\b\d{6}\b/.test(text ?? ''));
  return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
}

/** Registers a user as clients do: code by mail, then POST /auth/register. */
export async function registerUser(app: TestApp, overrides: Partial<Registration> = {}): Promise<TestAccount> {
  const registration = newcomer(overrides);
  const code = await receiveCode(app, registration.email, 'register');
  const answer = await call<TokenPairDto>(`${app.url}/auth/register`, { body: { ...registration, code } });
  if (answer.status !== 200) {
    throw new Error(`register answered ${answer.status}: ${answer.text}`);
  }
  const { access_token: token, refresh_token: refreshToken } = answer.body;
  const { body: user } = await call<UserDto>(`${app.url}/auth/me`, { token });
  return { token, refreshToken, user, email: registration.email, password: registration.password };
}

/** An administrator, with the shortcut. */
export function createAdmin(app: Pick<TestApp, 'app'>): Promise<TestAccount> {
  return createUser(app, { userType: 'admin' });
}
