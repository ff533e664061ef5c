import { Cluster } from 'ioredis';
import { eventually } from '../../../test/support/eventually';
import { type RedisGroup, startRedisCluster, startRedisSentinels } from '../../../test/support/servers/redis-groups';
import { describeWithProgram } from '../../../test/support/servers/required-program';
import { Clock } from '../clock';
import { RedisThrottlerStorage } from '../rate-limit/redis-throttler-storage';
import { parseRedisAddress, redisAddressFault } from './redis-address';
import { RedisConnection } from './redis-connection';

const KEYS = Array.from({ length: 20 }, (_key, index) => `somebody-${index}`);

describeWithProgram('redis-server', 'several servers of Redis', () => {
  let group: RedisGroup | undefined;
  let connections: RedisConnection[];

  beforeEach(() => (connections = []));

  afterEach(async () => {
    connections.forEach((connection) => connection.onApplicationShutdown());
    await group?.stop();
  });

  async function connect(url: string): Promise<RedisConnection> {
    const connection = new RedisConnection({ REDIS_URL: url });
    connections.push(connection);
    await connection.onModuleInit();
    await eventually(() => connection.isUp);
    return connection;
  }

  /** Publishes until the other connection receives the message: a new subscription is not visible here. */
  async function expectHeard(here: RedisConnection, there: RedisConnection, channel: string): Promise<void> {
    const heard: string[] = [];
    const { active, close } = there.subscribe(channel, (message) => heard.push(message));
    await active;
    await eventually(() => {
      here.publish(channel, 'hello');
      return heard.length > 0;
    });
    close();
  }

  it.each([
    ['behind sentinels', startRedisSentinels],
    ['as a cluster', startRedisCluster],
  ])('%s count and carry messages for all instances, even after the primary was killed', async (_name, start) => {
    group = await start();
    const [here, there] = [await connect(group.url), await connect(group.url)];
    const [counting, other] = [here, there].map((each) => new RedisThrottlerStorage(each, new Clock()));
    const count = async (storage: RedisThrottlerStorage | undefined) =>
      Promise.all(KEYS.map(async (key) => (await storage?.increment(key, 600_000, 100))?.totalHits));
    expect(new Set(await count(counting))).toEqual(new Set([1]));
    expect(new Set(await count(other))).toEqual(new Set([2]));
    await expectHeard(here, there, 'before');

    await group.servers[0]?.stop();
    // Only writes that the replica had not received yet are lost: a counter continues or restarts.
    const after = await eventually(() => count(counting).catch(() => undefined));
    expect(after.every((hits) => hits !== undefined && hits <= 3 + KEYS.length)).toBe(true);
    await eventually(() => count(other).catch(() => undefined));
    await expectHeard(here, there, 'after');
    await expectHeard(there, here, 'after');
    await eventually(() => here.status() === 'up' && there.status() === 'up');
  });

  it('behind sentinels find another primary, even while one of the sentinels hangs', async () => {
    group = await startRedisSentinels();
    const connection = await connect(group.url);
    // The sentinel that is queried first.
    await group.sentinels[0]?.freeze();
    await group.servers[0]?.stop();
    await eventually(() => !connection.isUp);
    await eventually(() => connection.isUp);
  });

  it('in a cluster are received even where a subscription was refused because a node had just failed', async () => {
    group = await startRedisCluster();
    const [here, there] = [await connect(group.url), await connect(group.url)];
    await expectHeard(here, there, 'before');
    jest.spyOn(Cluster.prototype, 'subscribe').mockRejectedValueOnce(new Error('Connection is closed.'));
    await expectHeard(here, there, 'refused at first');
  });

  it('in a cluster are received again when name lookups are slow and a node hangs', async () => {
    group = await startRedisCluster();
    const connection = await connect(group.url.replaceAll('127.0.0.1', 'localhost'));
    const storage = new RedisThrottlerStorage(connection, new Clock());
    await Promise.all(KEYS.map((key) => storage.increment(key, 600_000, 100)));
    const client = connection.client as Cluster;
    // The connection to the hanging node is abandoned; the others close at once.
    const lookedUp = new Promise<void>((resolve) => {
      client.options.dnsLookup = (_name, done) => {
        setTimeout(() => {
          done(null, '127.0.0.1', 4);
          resolve();
        }, 400);
      };
    });
    await group.servers[0]?.freeze();
    client.disconnect(true);
    await lookedUp;
    group.servers[0]?.resume();
    await eventually(() => connection.isUp);
  });
});

describe('REDIS_URL with several servers', () => {
  it.each([
    [
      'redis+sentinel://one:26380,two/chat',
      {
        kind: 'sentinel',
        sentinels: [
          { host: 'one', port: 26_380 },
          { host: 'two', port: 26_379 },
        ],
        name: 'chat',
        database: 0,
      },
    ],
    ['REDISS+Sentinel://user:s%40x@one/chat/3', { isEncrypted: true, username: 'user', password: 's@x', database: 3 }],
    [
      'redis+cluster://:secret@[::1]:7000,two',
      {
        kind: 'cluster',
        nodes: [
          { host: '::1', port: 7_000 },
          { host: 'two', port: 6_379 },
        ],
        password: 'secret',
      },
    ],
  ])('reads %s', (url, expected) => {
    expect(redisAddressFault(url)).toBeNull();
    expect(parseRedisAddress(url)).toMatchObject(expected);
  });

  it.each([
    'redis+sentinel://one,two',
    'redis+sentinel:///chat',
    'redis+cluster://one/chat',
    'redis+cluster://one,,two',
    'redis+cluster://one:99999',
    'redis+other://one',
    'redis+sentinel://:S3cr3t%zz@one/chat',
    'redis+cluster://one?db=1',
  ])('refuses %s', (url) => {
    expect(redisAddressFault(url)).toMatch(/^an address such as /);
    expect(redisAddressFault(url)).not.toMatch(/S3cr3t/);
  });
});
