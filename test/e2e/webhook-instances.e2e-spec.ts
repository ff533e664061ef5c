// @databases mariadb mysql: two instances share one database
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

/** SQLite allows one instance, for which the same must be true. */
const INSTANCES = databaseEngine() === 'sqlite' ? 1 : 2;

describe(`${INSTANCES} instance(s) over one database`, () => {
  let app: TestApp;
  let second: Awaited<ReturnType<typeof startInstance>> | undefined;
  let receiver: WebhookReceiver;
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedisServer();
    app = await startTestApp({ REDIS_URL: redis.url });
    second = INSTANCES === 2 ? await startInstance(app.environment) : undefined;
    receiver = await WebhookReceiver.start();
    await Promise.all([app, ...(second ? [second] : [])].map((one) => untilShared(one.app.get(RedisConnection))));
  });

  afterAll(async () => {
    await second?.app.close();
    await app.close();
    await receiver.stop();
    await redis.stop();
  });

  it('notify each other of the first endpoint before its owner knows of it', async () => {
    const user = await createUser(app);
    const here = new WebhookClient(app, user);
    const there = new WebhookClient(second ?? app, user);
    // The other instance has just cached that there is no endpoint.
    await there.publish('chat.created', { n: 0 });
    const { id } = await here.create(receiver.url('/first'));
    await there.publish('chat.created', { n: 1 });
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/first');
    expect(delivery?.body.data.n).toBe(1);
    await here.request('DELETE', `/${id}`);
  });

  it('allow an endpoint ten tests an hour', async () => {
    const user = await createUser(app);
    const { id } = await new WebhookClient(app, user).create(receiver.url('/tests'));
    const other = await new WebhookClient(app, user).create(receiver.url('/tests'));
    const test = (url: string, endpoint = id, { token } = user) =>
      call(`${url}/webhooks/${endpoint}/test`, { method: 'POST', token });
    // No other test uses up the limit.
    const stranger = await createUser(app);
    expectFailure(await test(app.url, id, stranger), 404, 'WEBHOOK_NOT_FOUND');
    const urls = [app.url, second?.url ?? app.url];
    const answers = await Promise.all(Array.from({ length: 12 }, (_element, index) => test(urls[index % 2] ?? '')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      const { details, retry_after } = expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
      expect(details).toEqual({ limit: 10 });
      expect(retry_after).toBeGreaterThan(3_500);
      expect(refused.headers.get('retry-after')).toBe(String(retry_after));
    }
    expect((await test(app.url, other.id)).status).toBe(200);
  });

  it('share the work and deliver each event once', async () => {
    const user = await createUser(app);
    const here = new WebhookClient(app, user);
    const there = new WebhookClient(second ?? app, user);
    const { id } = await here.create(receiver.url('/many'));
    const total = 200;
    // Ten writers, five on each instance.
    const write = async (writer: number): Promise<void> => {
      for (let n = writer; n < total; n += 10) {
        await (writer % 2 === 0 ? here : there).publish('chat.created', { n });
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_element, writer) => write(writer)));
    await eventually(async () => {
      const page = await here.request<{ pagination: { total: number } }>('GET', `/${id}/deliveries?status=succeeded`);
      return page.pagination.total === total ? true : undefined;
    });
    const received = receiver.received(({ path }) => path === '/many');
    const ids = new Map<number, Set<string>>();
    for (const delivery of received) {
      const n = Number(delivery.body.data.n);
      ids.set(n, (ids.get(n) ?? new Set()).add(delivery.id));
    }
    expect(ids.size).toBe(total);
    expect([...ids.values()].filter((names) => names.size !== 1)).toEqual([]);
    expect(received.length - total).toBeLessThan(total / 50);
  });
});
