// @databases mariadb mysql: locks and deadlocks
import { AsyncResource } from 'node:async_hooks';
import { Database } from '../../src/database/database';
import { MailQueue } from '../../src/integrations/mail/mail-queue';
import { OutboundHttpClient } from '../../src/integrations/outbound-http/outbound-http-client';
import { DeliveryClaims } from '../../src/modules/webhook/delivery/delivery-claims';
import { ConcurrencyLimiter } from '../../src/modules/webhook/delivery/fair-queue';
import { WebhookFanOut } from '../../src/modules/webhook/delivery/webhook-fan-out';
import { WebhookWorker } from '../../src/modules/webhook/delivery/webhook-worker';
import type { WebhookDto } from '../../src/modules/webhook/management/webhook.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SCHEDULE = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

describe('endpoints with failures', () => {
  const app = useOwnTestApp();
  let receiver: WebhookReceiver;
  let user: TestAccount;
  let client: WebhookClient;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    user = await createUser(app);
    client = new WebhookClient(app, user);
  });

  afterEach(() => receiver.stop());

  function answerWith(status: number, headers: Record<string, string> = {}): void {
    receiver.answer = (_delivery, response) => void response.writeHead(status, headers).end('no');
  }

  /** The endpoint once this number of consecutive failures is stored. */
  function failuresOf(id: number, atLeast: number): Promise<WebhookDto> {
    return eventually(async () => {
      const endpoint = await client.get(id);
      return endpoint.failure_count >= atLeast ? endpoint : undefined;
    });
  }

  it('are retried on schedule, each time under the same id, and abandoned after ten attempts', async () => {
    answerWith(500);
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    for (const [index, pause] of SCHEDULE.entries()) {
      const failed = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === index + 1);
      const planned = Date.parse(failed.next_attempt_at ?? '') - Date.parse(failed.last_attempt_at ?? '');
      expect(planned / pause).toBeGreaterThanOrEqual(0.9);
      expect(planned / pause).toBeLessThanOrEqual(1.1);
      expect(receiver.deliveries).toHaveLength(index + 1);
      client.advance(planned);
    }
    const givenUp = await client.onlyDelivery(id, ({ status }) => status === 'failed');
    expect(givenUp).toMatchObject({ attempt_count: 10, next_attempt_at: null });
    const { attempts } = await client.delivery(id, givenUp.id);
    expect(attempts.map(({ status_code, error }) => [status_code, error])).toEqual(Array(10).fill([500, 'status']));
    expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(1);
    client.advance(48 * HOUR);
    answerWith(200);
    await client.request('POST', `/${id}/replay`, { from: '2020-01-01T00:00:00Z' });
    await client.onlyDelivery(id, ({ status, attempt_count }) => status === 'succeeded' && attempt_count === 11);
  });

  it.each([
    [307, 'redirect'],
    [404, 'status'],
    [429, 'status'],
  ])('have failed when they answer %d', async (status, error) => {
    answerWith(status, { location: receiver.url('/elsewhere') });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    const failed = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    expect((await client.delivery(id, failed.id)).attempts).toEqual([
      expect.objectContaining({ status_code: status, error, response_body: 'no' }),
    ]);
    expect(receiver.deliveries.map(({ path }) => path)).toEqual(['/']);
  });

  it('are disabled immediately when they are gone, and their owner and the other endpoints are notified', async () => {
    const gone = await client.create(receiver.url('/gone'));
    const other = await client.create(receiver.url('/other'), { events: ['webhook.*'] });
    receiver.answer = ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 204).end();
    await client.publish('chat.created', { n: 1 });
    const [notice] = await receiver.waitFor(1, ({ path }) => path === '/other');
    expect(notice?.body).toMatchObject({
      type: 'webhook.disabled',
      data: { webhook_id: gone.id, url: receiver.url('/gone'), reason: 'gone' },
    });
    expect(await client.get(gone.id)).toMatchObject({ is_active: false, disabled_reason: 'gone' });
    const mail = await app.mails.waitForMail(user.email);
    expect(mail.text).toContain(receiver.url('/gone'));
    await client.publish('chat.created', { n: 2 });
    await eventually(async () => ((await client.deliveries(gone.id)).length === 2 ? true : undefined));
    expect(receiver.received(({ path }) => path === '/gone')).toHaveLength(1);
    receiver.answer = (_delivery, response) => void response.end();
    await client.request('PUT', `/${gone.id}`, { is_active: true });
    expect(await client.get(gone.id)).toMatchObject({ is_active: true, disabled_reason: null, failure_count: 0 });
    const replay = { from: '2020-01-01T00:00:00Z', only_failed: true };
    expect(await client.request('POST', `/${gone.id}/replay`, replay)).toEqual({ replayed: 2 });
    await receiver.waitFor(3, ({ path }) => path === '/gone');
    expect(other.is_active).toBe(true);
  });

  it('are disabled without a mail when their owner wants none', async () => {
    const settings = { method: 'PUT', token: user.token, body: { email_notifications: false } };
    await call(`${app.url}/user/settings`, settings);
    answerWith(410);
    const { id } = await client.create(receiver.url());
    const queue = jest.spyOn(app.app.get(MailQueue), 'enqueue');
    await client.publish('chat.created', { n: 1 });
    await eventually(async () => !(await client.get(id)).is_active);
    expect(queue.mock.calls.filter(([, { to }]) => to === user.email)).toEqual([]);
    await call(`${app.url}/user/settings`, { ...settings, body: { email_notifications: true } });
    await client.request('PUT', `/${id}`, { is_active: true });
    await client.publish('chat.created', { n: 2 });
    await eventually(() => queue.mock.calls.some(([, { to }]) => to === user.email));
    queue.mockRestore();
  });

  it('are disabled after five days of only failures, and their owner gets a mail', async () => {
    answerWith(500);
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 0 });
    const first = await failuresOf(id, 1);
    expect(first.failing_since).toEqual(expect.any(String));
    client.advance(119 * HOUR);
    await client.publish('chat.created', { n: 1 });
    expect((await failuresOf(id, 3)).is_active).toBe(true);
    client.advance(HOUR);
    await eventually(async () => ((await client.get(id)).is_active ? undefined : true));
    expect(await client.get(id)).toMatchObject({ disabled_reason: 'failing', disabled_at: expect.any(String) });
    expect((await app.mails.waitForMail(user.email)).text).toContain(receiver.url());
  });

  it('get events immediately that are added while other deliveries to them are being claimed', async () => {
    const [worker, claims] = [app.app.get(WebhookWorker), app.app.get(DeliveryClaims)];
    const claim = AsyncResource.bind(() => claims.claim());
    await client.create(receiver.url());
    await worker['loop'].stop();
    const fanOut = app.app.get(WebhookFanOut);
    await client.publish('chat.created', { n: 1 });
    await fanOut.dispatch();
    let taking: ReturnType<typeof claim> | undefined;
    await app.app.get(Database).write(async () => {
      await client.publish('chat.created', { n: 2 });
      await fanOut.dispatch();
      // Another transaction, which SQLite does not run before this one has ended.
      taking = claim();
      await (databaseEngine() === 'sqlite' ? undefined : taking);
    });
    const taken = [...(await taking!).claimed, ...(await claim()).claimed].filter(
      ({ event }) => event.userId === user.user.id,
    );
    expect(taken.map(({ event }) => event.data)).toEqual([{ n: 1 }, { n: 2 }]);
    worker['loop'].start();
  });

  it('get queued events as soon as one delivery succeeds', async () => {
    answerWith(503);
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    for (const [failures, pause] of [6 * SECOND, 6 * MINUTE, 34 * MINUTE].entries()) {
      await failuresOf(id, failures + 1);
      client.advance(pause);
    }
    await failuresOf(id, 4);
    answerWith(200);
    await client.publish('chat.created', { n: 2 });
    await receiver.waitFor(6);
    expect(receiver.deliveries.map(({ body }) => body.data.n)).toEqual([1, 1, 1, 1, 2, 1]);
    await eventually(async () => ((await client.deliveries(id, 'status=succeeded')).length === 2 ? true : undefined));
    expect(await client.get(id)).toMatchObject({ failure_count: 0, failing_since: null });
  });

  it('are only probed during a long outage, and get their backlog gradually after it', async () => {
    answerWith(503);
    const { id } = await client.create(receiver.url());
    const total = 100;
    await client.publish('chat.created', ...Array.from({ length: total }, (_element, n) => ({ n })));
    let { failure_count: failures } = await failuresOf(id, 20);
    for (let minute = 0; minute < 60; minute += 5) {
      receiver.mostOpen = 0;
      client.advance(5 * MINUTE);
      const probed = await failuresOf(id, failures + 1);
      expect(probed.failure_count).toBe(failures + 1);
      expect(receiver.mostOpen).toBe(1);
      failures = probed.failure_count;
    }
    const succeeded: string[] = [];
    receiver.mostOpen = 0;
    const limiter = app.app.get(ConcurrencyLimiter);
    let widest = 0;
    receiver.answer = (delivery, response) => {
      widest = Math.max(widest, receiver.open + limiter.quotaOf(id));
      succeeded.push(delivery.id);
      setTimeout(() => response.end(), 40);
    };
    client.advance(11 * SECOND);
    await receiver.waitFor(failures + 10);
    expect(receiver.mostOpen).toBeLessThanOrEqual(10);
    await receiver.waitFor(failures + total);
    await eventually(async () => ((await client.deliveries(id, 'status=pending')).length === 0 ? true : undefined));
    expect(new Set(succeeded).size).toBe(total);
    expect(succeeded).toHaveLength(total);
    expect(widest).toBeGreaterThan(4);
    expect(receiver.mostOpen).toBeLessThanOrEqual(32);
  });

  it('delay no other endpoint, even when many of them hang for long', async () => {
    // Not even a machine that stalls ends the waiting for them.
    Object.assign(app.app.get(OutboundHttpClient), { timeoutMilliseconds: 600_000 });
    receiver.answer = ({ path }, response) => void (path === '/quick' && response.end());
    const others = await Promise.all(Array.from({ length: 12 }, () => createUser(app)));
    const slow: (() => Promise<WebhookDto>)[] = [];
    for (const other of others) {
      const owner = new WebhookClient(app, other);
      const { id } = await owner.create(receiver.url('/hangs'));
      slow.push(() => owner.get(id));
      await owner.publish('chat.created', ...Array.from({ length: 10 }, (_element, n) => ({ n })));
    }
    await receiver.waitFor(12, ({ path }) => path === '/hangs');
    await client.create(receiver.url('/quick'));
    await client.publish('chat.created', ...Array.from({ length: 50 }, (_element, n) => ({ n })));
    await receiver.waitFor(50, ({ path }) => path === '/quick');
    // No delivery waited for a slow one: none of those has finished.
    expect((await Promise.all(slow.map((read) => read()))).map((endpoint) => endpoint.failure_count)).toEqual(
      Array(12).fill(0),
    );
    expect(receiver.received(({ path }) => path === '/hangs').length).toBeLessThanOrEqual(12 * 4);
  });
});
