// @databases mariadb mysql: locks and deadlocks
import type * as Argon2 from '@node-rs/argon2';
import { parseOptions } from '@node-rs/argon2';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import { PasswordService } from '../../src/modules/user/passwords/password.service';
import { createUser, newcomer, PASSWORD, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

const MINUTE = 60_000;

// A spy: the hashes dominate the time of a login, and measuring time would test the machine.
const argon2 = jest.requireActual<typeof Argon2>('@node-rs/argon2');

describe('the password login', () => {
  const app = useOwnTestApp();
  const login = (email: string, password: string) => call(`${app.url}/auth/login`, { body: { email, password } });
  const wrongLogins = (email: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_element, index) => login(email, `wrong password ${index}`)));
  const withStatus = (answers: { status: number }[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;

  /** The cost of a failed login: its hashes, by their parameters, and its statements. */
  async function workOf(failingLogin: () => ReturnType<typeof login>) {
    const verification = jest.spyOn(argon2, 'verify');
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    expectFailure(await failingLogin(), 401, 'INVALID_CREDENTIALS');
    const statements = log.mock.calls.map(([statement]) => statement);
    const stored = verification.mock.calls.map(([hash]) => hash as string);
    log.mockRestore();
    verification.mockRestore();
    return {
      hashes: stored.map((hash) => parseOptions(hash)),
      // Background work uses other tables.
      statements: statements.filter((statement) => /\b(users|attempt_logs|known_clients)\b/.test(statement)),
    };
  }

  beforeAll(() => {
    app.freezeClock();
  });

  it('answers unknown addresses and wrong passwords alike', async () => {
    const { email } = await createUser(app);
    const [known, unknown] = [await login(email, 'wrong password'), await login(newcomer().email, 'wrong password')];
    expectFailure(known, 401, 'INVALID_CREDENTIALS');
    expect({ ...(unknown.body as object), timestamp: '' }).toEqual({ ...(known.body as object), timestamp: '' });
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('does the same work for an unknown address as for a known one', async () => {
    const known = await createUser(app);
    // The first login replaces the cheap hash of the test account by a normal one.
    expect((await login(known.email, PASSWORD)).status).toBe(200);
    const work = await workOf(() => login(known.email, 'wrong password'));
    expect(work.hashes).toEqual([expect.objectContaining({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })]);
    expect(await workOf(() => login(newcomer().email, 'wrong password'))).toEqual(work);
  });

  it.each(['known', 'unknown'])(
    'is locked for a quarter of an hour after ten failures of a %s address',
    async (kind) => {
      const { email } = kind === 'known' ? await createUser(app) : newcomer();
      for (let times = 0; times < 10; times++) {
        expectFailure(await login(email, 'wrong password'), 401, 'INVALID_CREDENTIALS');
      }
      const answer = await login(email, PASSWORD);
      const error = expectFailure(answer, 429, 'ACCOUNT_LOCKED');
      expect(error.retry_after).toBe(15 * 60);
      expect(answer.headers.get('retry-after')).toBe(String(error.retry_after));
      app.advanceClock(15 * MINUTE);
      const later = await login(email, PASSWORD);
      expect(later.status).toBe(kind === 'known' ? 200 : 401);
    },
  );

  it('leaves the login with a code open during the lock, and a reset ends it', async () => {
    const { email } = await createUser(app);
    await wrongLogins(email, 11);
    expectFailure(await login(email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    const code = await receiveCode(app, email, 'login');
    expect((await call(`${app.url}/auth/verify`, { body: { email, code } })).status).toBe(200);
    expectFailure(await login(email, PASSWORD), 429, 'ACCOUNT_LOCKED');

    const reset = { email, code: await receiveCode(app, email, 'reset_password'), new_password: 'a new long password' };
    expect((await call(`${app.url}/auth/reset_password`, { body: reset })).status).toBe(200);
    expect((await login(email, reset.new_password)).status).toBe(200);
  });

  it('counts exactly ten of forty concurrent wrong attempts', async () => {
    const { email } = await createUser(app);
    const answers = await wrongLogins(email, 40);
    expect(withStatus(answers, 401)).toBe(10);
    expect(withStatus(answers, 429)).toBe(30);
  });

  it('accepts forty concurrent correct attempts', async () => {
    const { email } = await createUser(app);
    const answers = await Promise.all(Array.from({ length: 40 }, () => login(email, PASSWORD)));
    expect(withStatus(answers, 200)).toBe(40);
  });

  it('resets failures after the first success', async () => {
    const { email } = await createUser(app);
    for (const _round of [1, 2]) {
      expect(withStatus(await wrongLogins(email, 9), 401)).toBe(9);
      expect((await login(email, PASSWORD)).status).toBe(200);
    }
  });

  it('counts nothing while passwords cannot be checked', async () => {
    const { email } = await createUser(app);
    const checking = jest.spyOn(app.app.get(PasswordService), 'matches');
    checking.mockRejectedValue(new ServiceUnavailableError());
    for (const answer of await wrongLogins(email, 20)) {
      expect(expectFailure(answer, 503, 'SERVICE_UNAVAILABLE').retry_after).toBeGreaterThan(0);
    }
    checking.mockRestore();
    expect((await login(email, PASSWORD)).status).toBe(200);
  });
});
