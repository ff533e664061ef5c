// @databases mariadb: two instances share one database
import { setTimeout as delay } from 'node:timers/promises';
import { DomainEvents } from '../../src/common/events/domain-events';
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { Database } from '../../src/database/database';
import { chatEvent } from '../../src/modules/chat/conversations/chat.events';
import { createUser, type TestAccount } from '../support/accounts';
import { EventFeedReader, type SeenEvent } from '../support/event-feed-reader';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';

/** SQLite allows one instance, for which the same must be true. */
const INSTANCES = databaseEngine() === 'sqlite' ? 1 : 2;

type Instance = Pick<TestApp, 'app' | 'url'>;

describe.each([['with Redis'], ['without Redis']])(`the feed of ${INSTANCES} instance(s) %s`, (way) => {
  let here: TestApp;
  let there: Instance;
  let redis: RedisServer | undefined;
  let user: TestAccount;
  const opened: EventFeedReader[] = [];

  beforeAll(async () => {
    redis = way === 'with Redis' ? await startRedisServer() : undefined;
    here = await startTestApp(redis ? { REDIS_URL: redis.url } : {});
    there = INSTANCES === 2 ? await startInstance(here.environment) : here;
    if (redis) await Promise.all([here, there].map((one) => untilShared(one.app.get(RedisConnection))));
  });
  afterAll(async () => {
    if (there !== here) await there.app.close();
    await here.close();
    await redis?.stop();
  });
  beforeEach(async () => {
    user = await createUser(here);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((reader) => reader.cut()));
  });

  async function open(instance: Instance, query = '', token = user.token): Promise<EventFeedReader> {
    const reader = await EventFeedReader.open(instance.url, { token, query });
    opened.push(reader);
    return reader;
  }

  /** Publishes an event as modules do, in a transaction that lasts this much longer. */
  async function publish(instance: Instance, n: number, milliseconds = 0, owner = user): Promise<void> {
    const chat = { id: n, userId: owner.user.id, agentId: 1, title: 'Numbered' };
    await instance.app.get(Database).write(async (manager) => {
      await instance.app.get(DomainEvents).publish(manager, chatEvent('chat.created', chat));
      if (milliseconds > 0) await delay(milliseconds);
    });
  }

  const numbersOf = (events: readonly SeenEvent[]): unknown[] => events.map(({ body }) => body.data.chat_id);

  it('delivers to the first feed of a user before its owner does', async () => {
    await publish(there, 1);
    const reader = await open(here);
    await publish(there, 2);
    await reader.until(1);
    expect(numbersOf(reader.seen)).toEqual([2]);
  });

  it('delivers an event from the other instance within about a second', async () => {
    const reader = await open(here);
    const since = performance.now();
    await publish(there, 1);
    await reader.until(1);
    expect(performance.now() - since).toBeLessThan(redis ? 1_000 : 2_500);
  });

  it('loses nothing, repeats nothing and keeps one order for readers whose connections break repeatedly', async () => {
    const total = 300;
    const first = await open(here);
    // The first position of all readers.
    const begin = first.place;
    const whole = await open(there, `after=${begin}`);
    let isWritten = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = writer + 1; n <= total; n += 10) {
        // Every third transaction commits late: events with later ids are committed before it.
        await publish(writer % 2 === 0 ? here : there, n, INSTANCES === 2 && n % 3 === 0 ? 5 + (n % 7) * 10 : 0);
      }
    };
    const cutting = async (): Promise<SeenEvent[]> => {
      const seen: SeenEvent[] = [];
      let place = begin;
      for (let round = 0; seen.length < total; round++) {
        const reader = await open(round % 2 === 0 ? there : here, `after=${place}`);
        const enough = Math.min(total - seen.length, 1 + (round % 5) * 7);
        await eventually(
          () => reader.seen.length >= enough || (isWritten && seen.length + reader.seen.length >= total),
        );
        await reader.cut();
        seen.push(...reader.seen);
        place = reader.place;
      }
      return seen;
    };
    const cut = cutting();
    await Promise.all(Array.from({ length: 10 }, (_element, writer) => write(writer)));
    isWritten = true;
    const seen = await cut;
    await whole.until(total);
    const all = Array.from({ length: total }, (_element, index) => index + 1);
    expect([...new Set(numbersOf(seen))].sort((one, other) => Number(one) - Number(other))).toEqual(all);
    expect(seen).toHaveLength(total);
    expect(seen.map(({ place }) => place)).toEqual(whole.seen.map(({ place }) => place));
    expect(numbersOf(seen)).toEqual(numbersOf(whole.seen));
    const places = seen.map(({ place }) => place);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  }, 60_000);

  it('counts feeds on all instances together', async () => {
    await Promise.all(Array.from({ length: 5 }, (_element, index) => open(index % 2 === 0 ? here : there)));
    for (const { url } of [here, there]) {
      expectFailure(await EventFeedReader.refused(url, { token: user.token }), 429, 'TOO_MANY_CONCURRENT');
    }
  });

  if (INSTANCES === 2) {
    it('continues after the numbering instance has been killed', async () => {
      const third = await startInstance(here.environment);
      const reader = await open(here);
      // It has the lease now, unless another one still has it.
      await eventually(async () => {
        await publish(third, 1);
        return reader.seen.length > 0;
      });
      await third.app.close();
      const before = reader.seen.length;
      await publish(there, 7);
      await eventually(() => reader.seen.length > before && numbersOf(reader.seen).includes(7));
    });
  }
});
