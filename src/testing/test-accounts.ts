import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { Database } from '../database/database';
import { findRow } from '../database/statements/find';
import { updateRows } from '../database/statements/update';
import type { TokenPairDto } from '../modules/auth/tokens/token.dto';
import { TokenIssuer } from '../modules/auth/tokens/token-issuer';
import type { UserDto } from '../modules/user/account/user.dto';
import { UserEntity } from '../modules/user/account/user.entity';
import { UserNotFoundError } from '../modules/user/account/user.errors';
import { UserService } from '../modules/user/management/user.service';
import type { ServiceInstance } from './service-instance';

type App = Pick<ServiceInstance, 'app'>;

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
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
let cheapHash: Promise<string> | undefined;

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

/**
 * The shortcut for tests that are not about accounts: the services create and log in the user, without mail and without
 * an expensive hash. Everything afterwards is real.
 *
 * @param columns other columns of the account, such as `{ userType: 'admin' }` or `{ membershipType: 'monthly' }`
 */
export async function createUser({ app }: App, columns: Partial<UserEntity> = {}): Promise<TestAccount> {
  const { email, username } = newcomer();
  const passwordHash = await (cheapHash ??= hash(PASSWORD, CHEAP));
  const users = app.get(UserService);
  const [id, pair] = await app.get(Database).write(async (manager) => {
    const user = await users.create(manager, { email, username, passwordHash });
    if (Object.keys(columns).length > 0) {
      await updateRows(manager, UserEntity, columns, { id: user.id });
    }
    return [user.id, await app.get(TokenIssuer).logIn(manager, LOGIN, user)];
  });
  const { access_token: token, refresh_token: refreshToken } = pair;
  return { token, refreshToken, user: await users.describe(id), email: columns.email ?? email, password: PASSWORD };
}

/** Another session of a user, with the shortcut: a password costs a hash. @throws UserNotFoundError */
export function logIn({ app }: App, userId: number): Promise<TokenPairDto> {
  return app.get(Database).write(async (manager) => {
    const user = await findRow(manager, UserEntity, { id: userId });
    if (!user) {
      throw new UserNotFoundError();
    }
    return app.get(TokenIssuer).logIn(manager, LOGIN, user);
  });
}
