import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, TestApp } from '../support/test-app';

type Instance = Pick<TestApp, 'app' | 'url'>;

describe('two instances', () => {
  if (databaseEngine() === 'sqlite') {
    it('cannot share a SQLite file: the second is told so', async () => {
      const only = await startTestApp();
      await expect(startInstance(only.environment)).rejects.toThrow(/in use by another process/);
      await only.close();
    });
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

  it('know each other’s sessions, and with Redis their end as soon as it is told', async () => {
    const redis = await startRedisServer();
    try {
      first = await startTestApp({ REDIS_URL: redis.url });
      second = await startInstance(first.environment);
      const { token } = await createUser(first);
      expect((await me(second, token)).status).toBe(200);
      const start = performance.now();
      await logOut(token);
      await eventually(async () => (await me(second, token)).status === 401);
      // Without being told, the second instance would go on trusting what it knows for five seconds.
      expect(performance.now() - start).toBeLessThan(4_900);
    } finally {
      await redis.stop();
    }
  });

  it('know the end of a session soon without Redis too', async () => {
    first = await startTestApp();
    second = await startInstance(first.environment);
    const { token } = await createUser(first);
    expect((await me(second, token)).status).toBe(200);
    await logOut(token);
    expectFailure(await me(first, token), 401, 'SESSION_REVOKED');
    await eventually(async () => (await me(second, token)).status === 401);
  });
}
