import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { Database } from '../../src/database/database';
import { type CodePurpose } from '../../src/modules/auth/codes/verification-code.entity';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { TokenIssuer } from '../../src/modules/auth/tokens/token-issuer';
import { type UserDto } from '../../src/modules/user/account/user.dto';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { UserService } from '../../src/modules/user/management/user.service';
import { call } from './http';
import type { TestApp } from './test-app';

type App = Pick<TestApp, 'app' | 'url'>;

/** A logged-in user. */
export interface TestAccount {
  token: string;
  refreshToken: string;
  user: UserDto;
  email: string;
  password: string;
}

export interface Registration {
  email: string;
  username: string;
  password: string;
  lang?: string;
}

/** The password of accounts whose test does not care. */
export const PASSWORD = 'a long enough test password';

/** So cheap to verify that suites with many users stay fast; the first login by password replaces it. */
const cheapHash = hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });

/** The login method of the shortcuts. */
const LOGIN = {
  principal: null,
  requestId: 'test',
  address: '127.0.0.1',
  userAgent: null,
  language: 'en',
  device: null,
} as const;

/** Data of a new, unique user. */
export function newcomer(overrides: Partial<Registration> = {}): Registration {
  const name = `u${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  return { email: `${name}@example.com`, username: name, password: PASSWORD, ...overrides };
}

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

/**
 * The shortcut for tests that are not about accounts: the services create and log in the user, without mail and without
 * an expensive hash. Everything afterwards is real.
 *
 * @param columns other columns of the account, such as `{ userType: 'admin' }` or `{ membershipType: 'monthly' }`
 */
export async function createUser(app: App, columns: Partial<UserEntity> = {}): Promise<TestAccount> {
  const { email, username } = newcomer();
  const passwordHash = await cheapHash;
  const users = app.app.get(UserService);
  const [id, pair] = await app.app.get(Database).write(async (manager) => {
    const user = await users.create(manager, { email, username, passwordHash });
    if (Object.keys(columns).length > 0) {
      await manager.update(UserEntity, { id: user.id }, columns);
    }
    return [user.id, await app.app.get(TokenIssuer).logIn(manager, LOGIN, user)];
  });
  const { access_token: token, refresh_token: refreshToken } = pair;
  return { token, refreshToken, user: await users.describe(id), email: columns.email ?? email, password: PASSWORD };
}

/** Another session of a user, with the shortcut: a password costs a hash. */
export function logIn({ app }: App, userId: number): Promise<TokenPairDto> {
  return app.get(Database).write(async (manager) => {
    const user = await manager.findOneByOrFail(UserEntity, { id: userId });
    return app.get(TokenIssuer).logIn(manager, LOGIN, user);
  });
}

/** An administrator, with the shortcut. */
export function createAdmin(app: App): Promise<TestAccount> {
  return createUser(app, { userType: 'admin' });
}
