import { RedisChannels } from '../redis/redis-channels';
import { SharedCache } from './shared-cache';

/** A query that the test resolves. */
interface Query {
  key: number;
  answer: (value: string) => void;
  fail: (error: Error) => void;
}

describe('SharedCache', () => {
  let channels: RedisChannels;
  let queries: Query[];
  let committed: () => void;

  beforeEach(() => {
    channels = new RedisChannels(null);
    queries = [];
  });

  afterEach(() => jest.restoreAllMocks());

  /** Two caches with the same channels behave like two instances that share one Redis server. */
  function newCache(redis: Pick<RedisChannels, 'publish' | 'subscribe'> = channels) {
    return new SharedCache({
      channel: 'things',
      load: (key: number) => new Promise<string>((answer, fail) => queries.push({ key, answer, fail })),
      mostKeys: 2,
      freshMilliseconds: 5_000,
      database: { onCommit: (callback) => (committed = callback) },
      redis,
    });
  }

  /** Like `Database.write`: it resolves after this instance has received the messages too. */
  async function commit(): Promise<void> {
    committed();
    await Promise.resolve();
  }

  const queryAt = (index: number) => queries[index] as Query;

  it('runs one query for concurrent requests with the same key, and a separate one for another key', async () => {
    const cache = newCache();
    const values = [cache.get(1), cache.get(1), cache.get(2)];
    expect(queries.map(({ key }) => key)).toEqual([1, 2]);
    queryAt(0).answer('one');
    queryAt(1).answer('two');
    expect(await Promise.all(values)).toEqual(['one', 'one', 'two']);
  });

  it('never returns a value read before a change, whichever query finishes first', async () => {
    const cache = newCache();
    const before = cache.get(1);
    cache.forgetOnCommit(1);
    expect(cache.get(1)).toBe(before);
    await commit();
    const after = cache.get(1);
    expect(queries).toHaveLength(2);
    queryAt(1).answer('new');
    expect(await after).toBe('new');
    // The older query finishes last.
    queryAt(0).answer('old');
    expect(await before).toBe('old');
    expect(await cache.get(1)).toBe('new');
    expect(queries).toHaveLength(2);
  });

  it('keeps the newer value when the older query fails later', async () => {
    const cache = newCache();
    const before = cache.get(1);
    cache.forgetOnCommit(1);
    await commit();
    const after = cache.get(1);
    queryAt(1).answer('new');
    queryAt(0).fail(new Error('gone'));
    await expect(before).rejects.toThrow('gone');
    expect(await after).toBe('new');
    expect(await cache.get(1)).toBe('new');
    expect(queries).toHaveLength(2);
  });

  it('passes a failure to all waiting callers, and runs the query again for the next one', async () => {
    const cache = newCache();
    const values = [cache.get(1), cache.get(1)];
    queryAt(0).fail(new Error('away'));
    expect((await Promise.allSettled(values)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void cache.get(1);
    expect(queries).toHaveLength(2);
  });

  it('changes nothing before the commit', async () => {
    const cache = newCache();
    const value = cache.get(1);
    queryAt(0).answer('one');
    await value;
    cache.forgetOnCommit(1);
    expect(await cache.get(1)).toBe('one');
    expect(queries).toHaveLength(1);
  });

  it('forgets only the key that another instance has changed', async () => {
    const [here, elsewhere] = [newCache(), newCache()];
    void here.get(1);
    void elsewhere.get(1);
    void elsewhere.get(2);
    here.forgetOnCommit(1);
    await commit();
    void elsewhere.get(1);
    void elsewhere.get(2);
    expect(queries.map(({ key }) => key)).toEqual([1, 1, 2, 1]);
  });

  it('drops a value without a message from Redis when its lifetime, counted from the start of the query, is over', async () => {
    const silent = { publish: () => Promise.resolve(), subscribe: channels.subscribe.bind(channels) };
    const [here, elsewhere] = [newCache(silent), newCache(silent)];
    const time = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    void elsewhere.get(1);
    here.forgetOnCommit(1);
    await commit();
    time.mockReturnValue(5_999);
    queryAt(0).answer('old');
    void elsewhere.get(1);
    expect(queries).toHaveLength(1);
    time.mockReturnValue(6_001);
    void elsewhere.get(1);
    expect(queries).toHaveLength(2);
  });

  it('keeps no more keys than allowed, and drops the least recently used one', () => {
    const cache = newCache();
    for (const key of [1, 2, 1, 3, 1, 2]) {
      void cache.get(key);
    }
    expect(queries.map(({ key }) => key)).toEqual([1, 2, 3, 2]);
  });

  it('keeps several values of a key separately, and drops them together', async () => {
    const asked: string[] = [];
    const cache = new SharedCache({
      channel: 'sessions',
      load: (userId: number, sessionId: number) => Promise.resolve(asked.push(`${userId}/${sessionId}`)),
      database: { onCommit: (callback) => (committed = callback) },
      redis: channels,
    });
    void cache.get(1, 10);
    void cache.get(1, 11);
    void cache.get(1, 10);
    cache.forgetOnCommit(1);
    await commit();
    void cache.get(1, 10);
    void cache.get(1, 11);
    expect(asked).toEqual(['1/10', '1/11', '1/10', '1/11']);
  });

  it('needs no key for a single value', async () => {
    let loads = 0;
    const cache = new SharedCache<void, number>({
      channel: 'settings',
      load: () => Promise.resolve(++loads),
      database: { onCommit: (callback) => (committed = callback) },
      redis: channels,
    });
    expect([await cache.get(), await cache.get()]).toEqual([1, 1]);
    cache.forgetOnCommit();
    await commit();
    expect(await cache.get()).toBe(2);
  });
});
