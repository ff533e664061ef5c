// @databases mariadb: two instances share one database
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { untilHeard, untilShared } from '../support/redis-patience';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useOwnTestApp, useTestApp } from '../support/use-app';

type Instance = Pick<TestApp, 'app' | 'url'>;

describe('two applications in one process', () => {
  const first = useTestApp();
  const last = useOwnTestApp({ JWT_SECRET: 'pQ3wLr8sVt2yXn5mKj7hGf4dCb6zAe9oUi1RqWx0' });

  it('verify tokens with separate secrets', async () => {
    for (const own of [first, last]) {
      const { token } = await createUser(own);
      for (const app of [first, last]) {
        const answer = await call(`${app.url}/auth/me`, { token });
        if (app === own) expect(answer.status).toBe(200);
        else expectFailure(answer, 401, 'TOKEN_INVALID');
      }
    }
  });
});

describe('two instances', () => {
  if (databaseEngine() === 'sqlite') {
    const only = useTestApp();

    it('cannot share a SQLite file: the second one reports it', () =>
      expect(startInstance(only.environment)).rejects.toThrow(/in use by another process/));
  } else {
    onOneServer();
  }
});

function onOneServer(): void {
  let first: TestApp;
  let second: Instance;
  const me = (instance: Instance, token: string) => call(`${instance.url}/auth/me`, { token });
  const logOut = (token: string) => call(`${first.url}/auth/logout`, { method: 'POST', token });

  afterEach(async () => {
    await second.app.close();
    await first.close();
  });

  it('see each other’s sessions, and with Redis learn of their end immediately', async () => {
    const redis = await startRedisServer();
    try {
      first = await startTestApp({ REDIS_URL: redis.url });
      second = await startInstance(first.environment);
      await Promise.all([first, second].map(({ app }) => untilShared(app.get(RedisConnection))));
      await untilHeard(first.app.get(RedisConnection), 'principals', 2);
      const { token } = await createUser(first);
      // As if no time passed: without a notification, the second instance would trust its cache forever.
      jest.spyOn(performance, 'now').mockReturnValue(performance.now());
      expect((await me(second, token)).status).toBe(200);
      await logOut(token);
      await eventually(async () => (await me(second, token)).status === 401);
    } finally {
      await redis.stop();
    }
  });

  it('learn of the end of a session soon without Redis too', async () => {
    first = await startTestApp();
    second = await startInstance(first.environment);
    const { token } = await createUser(first);
    const start = performance.now();
    const now = jest.spyOn(performance, 'now').mockReturnValue(start);
    expect((await me(second, token)).status).toBe(200);
    await logOut(token);
    expectFailure(await me(first, token), 401, 'SESSION_REVOKED');
    expect((await me(second, token)).status).toBe(200);
    now.mockReturnValue(start + 5_001);
    expectFailure(await me(second, token), 401, 'SESSION_REVOKED');
  });
}
