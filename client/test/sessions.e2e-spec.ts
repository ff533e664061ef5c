import { createChatClient } from '../../client/src/index';
import { newcomer, receiveCode, registerUser } from '../../test/support/accounts';
import { useTestApp } from '../../test/support/use-app';

describe('sessions of the client', () => {
  const app = useTestApp();

  /** Counts requests by path. `isLate`: the client believes that its token is valid for a day. */
  function counting(isLate = false): { fetch: typeof fetch; count(path: string): number } {
    const paths: string[] = [];
    return {
      fetch: async (input, init) => {
        const { pathname } = new URL(input);
        paths.push(pathname);
        const answer = await fetch(input, init);
        // Simulates a client with a wrong clock, which does not notice that a token has expired.
        return pathname.endsWith('/login') && isLate
          ? Response.json({ ...((await answer.json()) as object), expires_in: 86_400 })
          : answer;
      },
      count: (path) => paths.filter((one) => one === `/api/v1${path}`).length,
    };
  }

  it('register, log in and log out, and notify listeners', async () => {
    const person = newcomer();
    const client = createChatClient({ baseUrl: app.origin });
    const states: string[] = [];
    client.session.onChange(() => states.push(client.session.state));
    expect(client.session.state).toBe('unknown');
    await client.session.register({ ...person, code: await receiveCode(app, person.email, 'register') });
    expect(await client.auth.me()).toMatchObject({ email: person.email });
    await client.session.logOut();
    await expect(client.auth.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    await expect(client.session.logIn({ email: person.email, password: 'wrong password' })).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
    await client.session.logIn({ email: person.email, password: person.password });
    expect(await client.auth.me()).toMatchObject({ email: person.email });
    expect(states).toEqual(['signed-in', 'signed-out', 'signed-in']);
  });

  it('refresh once for fifty callers whose token has expired', async () => {
    const { email, password } = await registerUser(app);
    const { fetch, count } = counting(true);
    const client = createChatClient({ baseUrl: app.origin, fetch });
    await client.session.logIn({ email, password });
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 2 * 3_600_000);
    const users = await Promise.all(Array.from({ length: 50 }, () => client.auth.me()));
    expect(users.map((user) => user.email)).toEqual(users.map(() => email));
    expect(count('/auth/refresh_token')).toBe(1);
    expect(count('/auth/me')).toBe(100);
  });

  it('refresh before the token expires, without a failed request', async () => {
    const { email, password } = await registerUser(app);
    const { fetch, count } = counting();
    const client = createChatClient({ baseUrl: app.origin, fetch });
    await client.session.logIn({ email, password });
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 3_300_000);
    await client.auth.me();
    expect(count('/auth/refresh_token')).toBe(1);
    expect(count('/auth/me')).toBe(1);
  });

  it('end when the service has revoked them', async () => {
    const { email, password, token } = await registerUser(app);
    const client = createChatClient({ baseUrl: app.origin });
    await client.session.logIn({ email, password });
    const other = createChatClient({ baseUrl: app.origin, accessToken: token });
    await other.sessions.endOthers();
    await expect(client.auth.me()).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
    expect(client.session.state).toBe('signed-out');
    expect(await client.session.restore()).toBe(false);
  });
});
