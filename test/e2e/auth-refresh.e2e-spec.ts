// @databases mariadb mysql: locks and deadlocks
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('refresh tokens', () => {
  const app = useOwnTestApp();
  const refresh = (token: unknown) =>
    call<TokenPairDto>(`${app.url}/auth/refresh_token`, { body: { refresh_token: token } });
  const me = (token: string) => call(`${app.url}/auth/me`, { token });

  beforeAll(() => {
    app.freezeClock();
  });

  it('are exchanged for a working pair, repeatedly', async () => {
    let { refreshToken } = await createUser(app);
    for (let times = 0; times < 3; times++) {
      const answer = await refresh(refreshToken);
      expect(answer.status).toBe(200);
      expect(answer.body.refresh_token).not.toBe(refreshToken);
      expect((await me(answer.body.access_token)).status).toBe(200);
      refreshToken = answer.body.refresh_token;
      app.advanceClock(29 * 86_400_000);
    }
  });

  it('work in twenty tabs that refresh concurrently, and keep working there', async () => {
    const { refreshToken } = await createUser(app);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    app.advanceClock(60_000);
    for (const { body } of answers.slice(0, 1)) {
      expect((await me(body.access_token)).status).toBe(200);
    }
    const tokens = new Set(answers.map(({ body }) => body.refresh_token));
    expect(tokens.size).toBe(1);
    expect((await refresh([...tokens][0])).status).toBe(200);
  });

  it('work for ten seconds after their successor exists, and not for eleven', async () => {
    const { refreshToken, token } = await createUser(app);
    const next = await refresh(refreshToken);
    app.advanceClock(9_000);
    expect((await refresh(refreshToken)).body.refresh_token).toBe(next.body.refresh_token);
    app.advanceClock(2_000);
    const answer = await refresh(refreshToken);
    expectFailure(answer, 401, 'REFRESH_TOKEN_REUSED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');

    expectFailure(await refresh(next.body.refresh_token), 401, 'REFRESH_TOKEN_INVALID');
    expectFailure(await me(token), 401, 'SESSION_REVOKED');
    expectFailure(await me(next.body.access_token), 401, 'SESSION_REVOKED');
  });

  it('work for ten seconds each, even if a later one was replaced before that', async () => {
    const tokens = [(await createUser(app)).refreshToken];
    const replaceLast = async () => tokens.push((await refresh(tokens.at(-1))).body.refresh_token);
    await replaceLast();
    app.advanceClock(4_000);
    await replaceLast();
    expect((await refresh(tokens[0])).body.refresh_token).toBe(tokens[2]);
    app.advanceClock(4_000);
    await replaceLast();
    for (const token of tokens) {
      expect((await refresh(token)).status).toBe(200);
    }
    app.advanceClock(3_000);
    // Replaced seven and three seconds ago; the first one, eleven.
    for (const token of tokens.slice(1, 3)) {
      expect((await refresh(token)).status).toBe(200);
    }
    expectFailure(await refresh(tokens[0]), 401, 'REFRESH_TOKEN_REUSED');
    for (const token of tokens.slice(1)) {
      expectFailure(await refresh(token), 401, 'REFRESH_TOKEN_INVALID');
    }
  });

  it('end the session when a much older one is used', async () => {
    const { refreshToken } = await createUser(app);
    const second = await refresh(refreshToken);
    const third = await refresh(second.body.refresh_token);
    expect(third.status).toBe(200);
    app.advanceClock(11_000);
    expectFailure(await refresh(refreshToken), 401, 'REFRESH_TOKEN_REUSED');
    expectFailure(await me(third.body.access_token), 401, 'SESSION_REVOKED');
  });

  it('expire thirty days after their last use', async () => {
    const { refreshToken } = await createUser(app);
    app.advanceClock(30 * 86_400_000);
    expectFailure(await refresh(refreshToken), 401, 'REFRESH_TOKEN_INVALID');
  });

  it('are refused unless the service issued them', async () => {
    const { refreshToken, token } = await createUser(app);
    const changed = (refreshToken.startsWith('A') ? 'B' : 'A') + refreshToken.slice(1);
    for (const forged of [changed, `${refreshToken}=`, refreshToken.slice(0, -1), 'rubbish', token, '🙈'.repeat(10)]) {
      expectFailure(await refresh(forged), 401, 'REFRESH_TOKEN_INVALID');
    }
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});
