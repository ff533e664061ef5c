import { Database } from '../../src/database/database';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { type SessionDto } from '../../src/modules/user/sessions/session.dto';
import { SessionEntity } from '../../src/modules/user/sessions/session.entity';
import { SessionRetention } from '../../src/modules/user/sessions/session.retention';
import { SessionService } from '../../src/modules/user/sessions/session.service';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('sessions', () => {
  const app = useOwnTestApp();
  let account: TestAccount;

  const logIn = async (userAgent = 'a browser') =>
    (
      await call<TokenPairDto>(`${app.url}/auth/login`, {
        body: { email: account.email, password: PASSWORD },
        headers: { 'user-agent': userAgent },
      })
    ).body.access_token;
  const list = (token: string, query = '') => call<SessionDto[]>(`${app.url}/user/sessions${query}`, { token });
  const end = (token: string, path = '') => call(`${app.url}/user/sessions${path}`, { method: 'DELETE', token });
  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  beforeEach(async () => {
    account = await createUser(app);
  });

  it('are listed with their origin, the newest first', async () => {
    await logIn('a telephone');
    const token = await logIn('x'.repeat(600));
    const answer = await list(token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-total-count')).toBe('3');
    expect(answer.body.map(({ user_agent, current }) => ({ user_agent, current }))).toEqual([
      { user_agent: 'x'.repeat(512), current: true },
      { user_agent: 'a telephone', current: false },
      { user_agent: null, current: false },
    ]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(answer.body[0]).toEqual({
      id: expect.any(Number),
      kind: 'browser',
      client: { client_id: null, surface: null, device_name: null, user_agent: 'x'.repeat(512) },
      scopes: null,
      created_at: time,
      last_used_at: time,
      address: '127.0.0.1',
      ip: '127.0.0.1',
      user_agent: 'x'.repeat(512),
      current: true,
    });
    expect(answer.text).not.toMatch(/hash|family|token/);
    expect((await list(token, '?limit=1&offset=1')).body.map(({ user_agent }) => user_agent)).toEqual(['a telephone']);
  });

  it('refuse to be listed with an invalid limit', async () => {
    expectFailure(await list(account.token, '?limit=0'), 400, 'VALIDATION_ERROR');
  });

  it('can be ended individually, with immediate effect', async () => {
    const other = await logIn();
    expect((await me(other)).status).toBe(200);
    const [session] = (await list(account.token)).body.filter(({ current }) => !current);
    const answer = await end(account.token, `/${session?.id}`);
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    expectFailure(await me(other), 401, 'SESSION_REVOKED');
    expect((await me(account.token)).status).toBe(200);
    expectFailure(await end(account.token, `/${session?.id}`), 404, 'SESSION_NOT_FOUND');
  });

  it('can all be ended except for the current one', async () => {
    const others = [await logIn(), await logIn()];
    expect((await end(account.token)).status).toBe(200);
    for (const token of others) {
      expectFailure(await me(token), 401, 'SESSION_REVOKED');
    }
    expect((await list(account.token)).body).toHaveLength(1);
  });

  it('of other users look like missing ones', async () => {
    const stranger = await createUser(app);
    const [session] = (await list(account.token)).body;
    expectFailure(await end(stranger.token, `/${session?.id}`), 404, 'SESSION_NOT_FOUND');
    expectFailure(await end(stranger.token, '/999999999'), 404, 'SESSION_NOT_FOUND');
    expect((await me(account.token)).status).toBe(200);
  });

  it('have no id such as 0', async () => {
    expectFailure(await end(account.token, '/0'), 400, 'VALIDATION_ERROR');
  });

  it('show when they were last used', async () => {
    const upkeep = app.app.get(SessionRetention);
    const lastUsed = async () => Date.parse((await list(account.token)).body[0]?.last_used_at ?? '');
    const before = await lastUsed();
    app.advanceClock(3_600_000);
    await me(account.token);
    await upkeep.keepUp();
    expect((await lastUsed()) - before).toBeGreaterThanOrEqual(3_600_000);
  });

  it('are found, and include later activity, until they expire', async () => {
    const sessions = app.app.get(SessionService);
    const { id } = account.user;
    const [session] = (await list(account.token)).body;
    const sessionId = session?.id ?? 0;
    const found = async () => [
      (await sessions.find(id, sessionId)) !== null,
      await app.app.get(Database).write((manager) => sessions.holds(manager, id, sessionId)),
    ];
    expect(await found()).toEqual([true, true]);
    app.advanceClock(31 * 86_400_000);
    expect(await found()).toEqual([false, false]);
  });

  it('disappear when they have expired, from the table too', async () => {
    app.advanceClock(31 * 86_400_000);
    const token = await logIn();
    expect((await list(token)).body).toHaveLength(1);
    expectFailure(await me(account.token), 401, 'SESSION_REVOKED');
    await app.app.get(SessionRetention).keepUp();
    const rows = app.app.get(Database).repository(SessionEntity);
    expect(await rows.countBy({ userId: account.user.id })).toBe(1);
  });
});
