// @databases mariadb: two instances share one database
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { Database } from '../../src/database/database';
import type { ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { untilHeard, untilShared } from '../support/redis-patience';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp, useTestApp } from '../support/use-app';

type Instance = Pick<TestApp, 'app' | 'url'>;

/** A way to revoke a key, as an answered request. */
type Ending = (key: ApiKeyWithTextDto, owner: TestAccount) => Promise<unknown>;

/** Concurrent requests with each key. */
const LOOPS = 2;

describe('the revocation of API keys', () => {
  const app = useTestApp();
  const admin = useAdmin(app);

  const byOwner: Ending = ({ id }, { token }) => call(`${app.url}/user/api-keys/${id}`, { method: 'DELETE', token });
  const byAdministrator: Ending = ({ id }) => admin.delete(`/admin/api-keys/${id}`);
  const byRotation: Ending = ({ id }, { token }) =>
    call(`${app.url}/user/api-keys/${id}/rotate`, { token, body: { grace_hours: 0 } });
  const byBan: Ending = (_key, { user }) => admin.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' });
  const byClosing: Ending = (_key, { token, password }) =>
    call(`${app.url}/user/account`, { method: 'DELETE', token, body: { password } });

  it.each<[string, number, Ending]>([
    ['owners', 50, byOwner],
    ['administrators', 50, byAdministrator],
    ['rotation without grace', 50, byRotation],
    ['bans', 20, byBan],
    ['closed accounts', 10, byClosing],
  ])('by %s: of concurrent requests with %d keys, none succeeds after the answer', async (_by, count, end) => {
    const owners = await Promise.all(Array.from({ length: count }, () => createUser(app)));
    const keys = await Promise.all(owners.map(async (owner) => ({ owner, key: await makeKey(app, owner.token) })));
    const stories = keys.map(({ owner, key }) => new KeyInUse(app.url, key, owner));
    await Promise.all(stories.map((story) => story.run(end)));
    for (const { successesBefore, successesAfter, refusalsAfter } of stories) {
      expect(successesBefore).toBeGreaterThan(0);
      expect({ successesAfter, refusalsAfter }).toEqual({ successesAfter: 0, refusalsAfter: 3 * LOOPS });
    }
  });
});

/** Sends requests with a key until they are refused, and revokes the key concurrently. */
class KeyInUse {
  /** Successes of requests that were sent before the revocation was answered. */
  successesBefore = 0;
  successesAfter = 0;
  refusalsAfter = 0;
  private hasEnded = false;
  private whenUsed: () => void = () => undefined;
  private readonly used = new Promise<void>((resolve) => (this.whenUsed = resolve));

  constructor(
    private readonly url: string,
    private readonly key: ApiKeyWithTextDto,
    private readonly owner: TestAccount,
  ) {}

  async run(end: Ending): Promise<void> {
    const loops = Array.from({ length: LOOPS }, () => this.loop());
    await this.used;
    await end(this.key, this.owner);
    this.hasEnded = true;
    await Promise.all(loops);
  }

  private async loop(): Promise<void> {
    for (let refused = 0; refused < 3;) {
      const isLate = this.hasEnded;
      const { status } = await call(`${this.url}/chat`, { token: this.key.key });
      if (status === 200) {
        this.successesBefore += isLate ? 0 : 1;
        this.successesAfter += isLate ? 1 : 0;
        this.whenUsed();
      } else {
        expect([401, 403]).toContain(status);
      }
      if (isLate && status !== 200) {
        refused++;
        this.refusalsAfter++;
      }
    }
  }
}

// A SQLite file has one process.
if (databaseEngine() !== 'sqlite') {
  describe('an API key on another instance', onTwoInstances);
}

function onTwoInstances(): void {
  let first: TestApp;
  let second: Instance;
  let admin: AdminClient;
  let owner: TestAccount;

  const begin = async (overrides: Record<string, string> = {}): Promise<void> => {
    first = await startTestApp(overrides);
    second = await startInstance(first.environment);
    admin = await AdminClient.of(first);
    owner = await createUser(first);
  };
  const mine = (path: string, options: object) =>
    call(`${first.url}/user/api-keys${path}`, { token: owner.token, ...options });
  const statusOn = async ({ url }: Instance, key: string, path = '/chat') =>
    (await call(`${url}${path}`, { token: key })).status;

  afterEach(async () => {
    await second.app.close();
    await first.close();
  });

  it('learns immediately through Redis that it ended, of its scopes, of a ban and of a lost role', async () => {
    const redis = await startRedisServer();
    try {
      await begin({ REDIS_URL: redis.url });
      await Promise.all([first, second].map(({ app }) => untilShared(app.get(RedisConnection))));
      for (const channel of ['principals', 'api-keys']) {
        await untilHeard(first.app.get(RedisConnection), channel, 2);
      }
      // As if no time passed: without a notification, the second instance would trust its cache forever.
      jest.spyOn(performance, 'now').mockReturnValue(performance.now());
      const [revoked, narrowed, turned] = await Promise.all([1, 2, 3].map(() => makeKey(first, owner.token)));
      const ofAdmin = await makeKey(first, admin.account.token, { scopes: ['admin:read'] });
      for (const { key } of [revoked!, narrowed!, turned!]) {
        expect(await statusOn(second, key)).toBe(200);
      }
      expect(await statusOn(second, ofAdmin.key, '/admin/users')).toBe(200);
      await mine(`/${revoked!.id}`, { method: 'DELETE' });
      await eventually(async () => (await statusOn(second, revoked!.key)) === 401);
      await mine(`/${narrowed!.id}`, { method: 'PUT', body: { scopes: ['usage:read'] } });
      await eventually(async () => (await statusOn(second, narrowed!.key)) === 403);
      await mine(`/${turned!.id}/rotate`, { body: { grace_hours: 0 } });
      await eventually(async () => (await statusOn(second, turned!.key)) === 401);
      await admin.post(`/admin/users/${owner.user.id}/ban`, { reason: 'Sends spam.' });
      await eventually(async () => (await statusOn(second, narrowed!.key, '/user/quota')) === 403);
      const other = await AdminClient.of(first);
      await other.put(`/admin/users/${admin.id}`, { user_type: 'normal' });
      await eventually(async () => (await statusOn(second, ofAdmin.key, '/admin/users')) === 403);
    } finally {
      await redis.stop();
    }
  });

  it('learns within five seconds without Redis that it ended', async () => {
    await begin();
    const { id, key } = await makeKey(first, owner.token);
    const start = performance.now();
    const now = jest.spyOn(performance, 'now').mockReturnValue(start);
    expect(await statusOn(second, key)).toBe(200);
    await mine(`/${id}`, { method: 'DELETE' });
    expect(await statusOn(first, key)).toBe(401);
    now.mockReturnValue(start + 5_001);
    expect(await statusOn(second, key)).toBe(401);
  });
}

describe('a request with an API key', () => {
  const app = useOwnTestApp();

  it('queries the database for the key and its owner at intervals, and not in between', async () => {
    const { token } = await createUser(app);
    const { key } = await makeKey(app, token, { scopes: ['agents:read'] });
    const ask = (): Promise<{ status: number }> => call(`${app.url}/chat/agents/active`, { token: key });
    expect((await ask()).status).toBe(200);
    // So that no time passes in which the cached caller expires.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const { logger } = app.app.get(Database).manager.dataSource;
    const log = jest.spyOn(logger, 'logQuery');
    for (let time = 0; time < 20; time++) {
      expect((await ask()).status).toBe(200);
    }
    const aboutCallers = log.mock.calls.filter(([sql]) => /\b(api_keys|users|sessions)\b/.test(sql));
    expect(aboutCallers).toEqual([]);
    log.mockClear();
    const refused = await Promise.all(Array.from({ length: 20 }, () => call(`${app.url}/chat`, { token: 'ck_typo' })));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    expect(log.mock.calls.filter(([sql]) => /\bapi_keys\b/.test(sql))).toEqual([]);
  });
});
