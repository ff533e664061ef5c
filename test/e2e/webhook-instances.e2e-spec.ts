import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, TestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

/** SQLite has room for one instance; there the same must hold of one. */
const INSTANCES = databaseEngine() === 'sqlite' ? 1 : 2;

describe(`${INSTANCES} instance(s) over one database`, () => {
  let app: TestApp;
  let second: Awaited<ReturnType<typeof startInstance>> | undefined;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    app = await startTestApp({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    second = INSTANCES === 2 ? await startInstance(app.environment) : undefined;
    receiver = await WebhookReceiver.start();
  });

  afterAll(async () => {
    await second?.app.close();
    await app.close();
    await receiver.stop();
  });

  it('tell each other of the first endpoint before its owner knows of it', async () => {
    const user = await createUser(app);
    const here = new WebhookClient(app, user);
    const there = new WebhookClient(second ?? app, user);
    // The other instance has just seen that there is no endpoint, and remembers.
    await there.publish('chat.created', { n: 0 });
    const { id } = await here.create(receiver.url('/first'));
    await there.publish('chat.created', { n: 1 });
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/first');
    expect(delivery?.body.data.n).toBe(1);
    await here.request('DELETE', `/${id}`);
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
