// @databases mariadb mysql: locks and deadlocks
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { newcomer, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

describe('concurrent registrations', () => {
  const app = useTestApp();

  it('for one address: one wins, and the others learn that the address is taken', async () => {
    const { email, password } = newcomer();
    const code = await receiveCode(app, email, 'register');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call<TokenPairDto>(`${app.url}/auth/register`, {
          body: { email, password, code, username: newcomer().username },
        }),
      ),
    );
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect((await call(`${app.url}/auth/me`, { token: winner?.body.access_token })).status).toBe(200);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectFailure(answer, 409, 'EMAIL_ALREADY_REGISTERED');
    }
  });

  it('for one username: one wins, and the others can continue with their codes', async () => {
    const registrations = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const newUser = newcomer();
        return { ...newUser, code: await receiveCode(app, newUser.email, 'register') };
      }),
    );
    const username = `Wanted${Date.now()}`;
    const register = (body: unknown) => call(`${app.url}/auth/register`, { body });
    const answers = await Promise.all(registrations.map((registration) => register({ ...registration, username })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const [index, answer] of answers.entries()) {
      if (answer.status !== 200) {
        expectFailure(answer, 409, 'USERNAME_TAKEN');
        expect((await register(registrations[index])).status).toBe(200);
      }
    }
  });
});
