import Redis from 'ioredis';
import { Clock } from '../../src/common/clock';
import { BoundedThrottlerStorage, CALLERS_PER_BUDGET } from '../../src/common/rate-limit/bounded-throttler-storage';
import { type WindowRecord, type WindowStorage } from '../../src/common/rate-limit/budgets';
import { FallbackThrottlerStorage, RedisThrottlerStorage } from '../../src/common/rate-limit/redis-throttler-storage';
import { RateLimitMetrics } from '../../src/common/rate-limit/request-counter';
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { eventually } from '../support/eventually';
import { untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { describeWithProgram } from '../support/servers/required-program';

const LIMIT = 60;
/** The shortest one: windows end at a whole second. */
const SHORT_WINDOW = 1_000;

class MovableClock extends Clock {
  private offset = 0;

  override now(): Date {
    return new Date(Date.now() + this.offset);
  }

  pass(milliseconds: number): void {
    this.offset += milliseconds;
  }
}

interface Subject {
  storage: WindowStorage;
  /** Resolves after the current window of the key. */
  passWindow: (key: string) => Promise<void>;
}

let lastKey = 0;
const newKey = () => `user:${++lastKey}`;

/** Unlike `once` of node:events, it is not interrupted by the error events of failed connection attempts. */
function heard(client: Redis, event: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => client.once(event, resolve));
}

function hit(storage: WindowStorage, key: string, limit = LIMIT, ttl = 60_000): Promise<WindowRecord> {
  return storage.increment(key, ttl, limit, ttl, 'user');
}

/** The contract that the guard relies on, for every store. */
function itKeepsTheContract(subject: () => Subject): void {
  it('accepts exactly the limit of 200 parallel hits', async () => {
    const key = newKey();
    const records = await Promise.all(Array.from({ length: 200 }, () => hit(subject().storage, key)));
    expect(records.filter(({ isBlocked }) => !isBlocked)).toHaveLength(LIMIT);
    expect(new Set(records.map(({ totalHits }) => totalHits)).size).toBe(LIMIT + 1);
  });

  it('keeps the end of the window that the first hit set', async () => {
    const key = newKey();
    const before = Date.now();
    const first = await hit(subject().storage, key, 1);
    const after = Date.now();
    const refused = [await hit(subject().storage, key, 1), await hit(subject().storage, key, 1)];
    const longest = Date.now() - before;
    expect(first.windowEndsAt % 1_000).toBe(0);
    expect(first.windowEndsAt).toBeGreaterThan(before + 59_000);
    expect(first.windowEndsAt).toBeLessThanOrEqual(after + 60_000);
    expect(refused.map(({ windowEndsAt }) => windowEndsAt)).toEqual([first.windowEndsAt, first.windowEndsAt]);
    expect(refused[1]).toMatchObject({ totalHits: 2, isBlocked: true });
    expect(refused[1]?.timeToBlockExpire).toBeGreaterThanOrEqual(Math.floor(59 - longest / 1_000));
    expect(refused[1]?.timeToBlockExpire).toBeLessThanOrEqual(60);
  });

  it('restarts after the window, however often it refused', async () => {
    const key = newKey();
    const { storage, passWindow } = subject();
    await Promise.all([1, 2, 3, 4].map(() => hit(storage, key, 1, SHORT_WINDOW)));
    await passWindow(key);
    expect(await hit(storage, key, 1, SHORT_WINDOW)).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('counts callers separately and applies a raised limit immediately', async () => {
    const [key, other] = [newKey(), newKey()];
    const { storage } = subject();
    expect(await hit(storage, key, 1)).toMatchObject({ isBlocked: false });
    expect(await hit(storage, key, 1)).toMatchObject({ isBlocked: true });
    expect(await hit(storage, key, 2)).toMatchObject({ totalHits: 2, isBlocked: false });
    expect(await hit(storage, other, 1)).toMatchObject({ totalHits: 1, isBlocked: false });
  });
}

function fallbackOver(connection: RedisConnection, clock: Clock): FallbackThrottlerStorage {
  const shared = new RedisThrottlerStorage(connection, clock);
  return new FallbackThrottlerStorage(connection, shared, new BoundedThrottlerStorage(clock), new RateLimitMetrics());
}

describe('store in memory', () => {
  const clock = new MovableClock();
  const passWindow = () => Promise.resolve(clock.pass(SHORT_WINDOW));
  const shared = new BoundedThrottlerStorage(clock);
  itKeepsTheContract(() => ({ storage: shared, passWindow }));

  it('remembers a limited number of callers, including the busy one', async () => {
    const storage = new BoundedThrottlerStorage(clock);
    let busy = 0;
    for (let caller = 0; caller < 3 * CALLERS_PER_BUDGET; caller++) {
      await storage.increment(`address:${caller}`, 60_000, LIMIT, 0, 'address');
      if (caller % 20_000 === 0) {
        busy = (await storage.increment('address:busy', 60_000, LIMIT, 0, 'address')).totalHits;
      }
    }
    expect(storage.size).toBe(CALLERS_PER_BUDGET);
    expect(busy).toBe(15);
  });

  it('drops no caller of another limit in such a flood', async () => {
    const storage = new BoundedThrottlerStorage(clock);
    await hit(storage, 'user:1');
    for (let caller = 0; caller <= CALLERS_PER_BUDGET; caller++) {
      await storage.increment(`address:${caller}`, 60_000, LIMIT, 0, 'address');
    }
    expect(await hit(storage, 'user:1')).toMatchObject({ totalHits: 2 });
  });

  it('locks out no caller when the system clock is set back', async () => {
    const storage = new BoundedThrottlerStorage(clock);
    await hit(storage, 'user:1', 1);
    clock.pass(-3_600_000);
    expect(await hit(storage, 'user:1', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
    clock.pass(3_600_000);
  });
});

describeWithProgram('redis-server', 'stores over Redis', () => {
  let server: RedisServer;
  let observer: Redis;
  const connections: RedisConnection[] = [];

  async function connect(): Promise<RedisConnection> {
    const connection = new RedisConnection({ REDIS_URL: server.url });
    connections.push(connection);
    await connection.onModuleInit();
    await eventually(() => connection.isUp);
    return connection;
  }

  async function connectPatiently(): Promise<RedisConnection> {
    const connection = await connect();
    await untilShared(connection);
    return connection;
  }

  beforeAll(async () => {
    server = await startRedisServer();
    observer = new Redis(server.url, { maxRetriesPerRequest: 0 });
    observer.on('error', () => undefined);
  });

  afterAll(async () => {
    connections.forEach((connection) => connection.onApplicationShutdown());
    observer.disconnect();
    await server.stop();
  });

  /** Reading the key makes Redis delete it when it expires; an expired key is gone for every reader. */
  async function passWindow(key: string): Promise<void> {
    while (await observer.exists(`chat-service:rate-limit:${key}`));
  }

  describe('Redis itself', () => {
    let storage: WindowStorage;
    beforeAll(async () => {
      storage = new RedisThrottlerStorage(await connectPatiently(), new Clock());
    });
    itKeepsTheContract(() => ({ storage, passWindow }));

    it('shares one limit between instances and leaves no key without an expiry', async () => {
      const key = newKey();
      const elsewhere = new RedisThrottlerStorage(await connectPatiently(), new Clock());
      const hits = Array.from({ length: 200 }, (_, index) => hit(index % 2 ? storage : elsewhere, key));
      const records = await Promise.all(hits);
      expect(records.filter(({ isBlocked }) => !isBlocked)).toHaveLength(LIMIT);
      expect(new Set(records.map(({ windowEndsAt }) => windowEndsAt)).size).toBe(1);
      expect(await observer.pttl(`chat-service:rate-limit:${key}`)).toBeGreaterThan(0);
    });
  });

  describe('with the fallback', () => {
    let storage: WindowStorage;
    beforeAll(async () => {
      storage = fallbackOver(await connectPatiently(), new Clock());
    });
    itKeepsTheContract(() => ({ storage, passWindow }));
  });

  describe('with the fallback, when it is needed', () => {
    let connection: RedisConnection;
    let storage: WindowStorage;
    beforeAll(async () => {
      connection = await connect();
      storage = fallbackOver(connection, new Clock());
    });

    it('continues locally when Redis hangs, with one short wait and none after it', async () => {
      await server.freeze();
      const key = newKey();
      const records = await Promise.all(Array.from({ length: 200 }, () => hit(storage, key)));
      const asking = jest.spyOn(RedisThrottlerStorage.prototype, 'increment');
      await hit(storage, key);
      const status = connection.status();
      server.resume();
      expect(records.filter(({ isBlocked }) => !isBlocked)).toHaveLength(LIMIT);
      expect(asking).not.toHaveBeenCalled();
      expect(status).toBe('down');
    });

    it('continues locally when Redis is killed during the test, and shares again once it is back', async () => {
      const client = connection.client as Redis;
      await untilShared(connection);
      const closed = heard(client, 'close');
      const key = newKey();
      const hits = Array.from({ length: 100 }, () => hit(storage, key));
      await server.stop();
      await closed;
      await Promise.all(hits);
      const alone = await Promise.all(Array.from({ length: 100 }, () => hit(storage, newKey(), 1)));
      expect(alone.every(({ isBlocked }) => !isBlocked)).toBe(true);
      const ready = [heard(client, 'ready'), heard(observer, 'ready')];
      await server.restart();
      await Promise.all(ready);
      await hit(storage, key);
      expect(await observer.hget(`chat-service:rate-limit:${key}`, 'hits')).toBe('1');
    });
  });
});
