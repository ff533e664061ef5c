// @databases mariadb mysql: locks and deadlocks
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { UserService } from '../../src/modules/user/management/user.service';
import { WebhookDeliveryEntity } from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { type Delivery, verify, WebhookReceiver } from '../support/webhook-receiver';

describe('delivering webhooks', () => {
  const app = useTestApp({ UPGRADE_MODE: 'open' });
  let receiver: WebhookReceiver;
  let user: TestAccount;
  let client: WebhookClient;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    user = await createUser(app);
    client = new WebhookClient(app, user);
  });

  afterEach(async () => {
    // Receivers refuse signatures from tomorrow's clock.
    app.resetClock();
    await receiver.stop();
  });

  it('delivers an event of the service, signed for the public library', async () => {
    const { id, secret } = await client.create(receiver.url('/in?tenant=1'), { events: ['membership.*'] });
    await call(`${app.url}/user/upgrade`, { token: user.token, body: { plan_id: 'monthly' } });
    const [delivery] = await receiver.waitFor(1);
    expect(delivery?.path).toBe('/in?tenant=1');
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(delivery && verify(delivery, secret)).toEqual({
      id: delivery?.id,
      type: 'membership.upgraded',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      api_version: 'v1',
      data: expect.objectContaining({ user_id: user.user.id, membership_type: 'monthly' }),
    });
    const logged = await client.onlyDelivery(id, ({ status }) => status === 'succeeded');
    expect(await client.delivery(id, logged.id)).toMatchObject({
      event: 'membership.upgraded',
      event_id: delivery?.id,
      attempt_count: 1,
      next_attempt_at: null,
      completed_at: expect.any(String),
      payload: delivery?.body,
      attempts: [{ status_code: 200, error: null, response_body: 'ok', duration_ms: expect.any(Number) }],
    });
    expect(await client.get(id)).toMatchObject({ last_success_at: expect.any(String), failure_count: 0 });
  });

  it('sends subscribed events to the owner only', async () => {
    await client.create(receiver.url('/all'), { events: ['*'] });
    await client.create(receiver.url('/group'), { events: ['message.*'] });
    await client.create(receiver.url('/one'), { events: ['chat.created', 'agent.updated'] });
    const stranger = await createUser(app);
    await new WebhookClient(app, stranger).create(receiver.url('/stranger'));
    await client.publish('message.created', { n: 1 });
    await client.publish('chat.created', { n: 2 });
    await client.publish('chat.deleted', { n: 3 });
    await client.publish('report.finished', { n: 4 });
    await receiver.waitFor(6);
    await client.publish('message.completed', { n: 5 });
    await receiver.waitFor(8);
    const seen = receiver.deliveries.map(({ path, body }) => `${path} ${String(body.data.n)}`).sort();
    expect(seen).toEqual(['/all 1', '/all 2', '/all 3', '/all 4', '/all 5', '/group 1', '/group 5', '/one 2']);
  });

  it('delivers an event if and only if its change is committed', async () => {
    await client.create(receiver.url());
    const database = app.app.get(Database);
    const undone = database.write(async (manager) => {
      await app.app.get(DomainEvents).publish(manager, { type: 'chat.created', userId: user.user.id, data: { n: 0 } });
      throw new Error('the change fails after its event');
    });
    await expect(undone).rejects.toThrow('the change fails');
    await client.publish('chat.created', { n: 1 });
    await receiver.waitFor(1);
    expect(receiver.deliveries.map(({ body }) => body.data.n)).toEqual([1]);
    expect(await database.repository(WebhookEventEntity).countBy({ userId: user.user.id })).toBe(1);
  });

  it('sends administrators everything they subscribe to, as long as they are administrators', async () => {
    const admin = await createAdmin(app);
    const administration = new WebhookClient(app, admin);
    const subscription = { scope: 'all', events: ['chat.*', 'agent.*'], include_content: true };
    const { id } = await administration.create(receiver.url('/admin'), subscription);
    await client.publish('chat.created', { n: 1, content: 'not for administrators' });
    await app.app
      .get(Database)
      .write((manager) =>
        app.app.get(DomainEvents).publish(manager, { type: 'agent.updated', userId: null, data: { n: 2 } }),
      );
    await receiver.waitFor(2);
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    await client.publish('chat.created', { n: 3 });
    await eventually(async () => ((await administration.get(id)).failure_count === 1 ? true : undefined));
    await app.app
      .get(Database)
      .write((manager) =>
        app.app.get(UserService).update(manager, admin.user.id, { userType: 'normal' }, ['user_type']),
      );
    await client.publish('chat.created', { n: 4 });
    await administration.publish('chat.created', { n: 5 });
    client.advance(6_000);
    await receiver.waitFor(4);
    const stored = app.app.get(Database).repository(WebhookDeliveryEntity);
    expect(await stored.countBy({ endpointId: id })).toBe(4);
    const refused = await eventually(() => stored.findOneBy({ endpointId: id, status: 'failed' }));
    const path = `${app.url}/webhooks/${id}/deliveries/${refused.id}`;
    expectFailure(await call(path, { token: admin.token }), 404, 'DELIVERY_NOT_FOUND');
    expect(await administration.deliveries(id)).toEqual([expect.objectContaining({ status: 'pending' })]);
    const period = { from: '2026-01-01T00:00:00Z', only_failed: true };
    expect(await administration.request('POST', `/${id}/replay`, period)).toEqual({ replayed: 0 });
    expect(receiver.deliveries.some(({ text }) => text.includes('not for administrators'))).toBe(false);
    expect(receiver.deliveries.map(({ body }) => body.data.n)).toEqual([1, 2, 3, 5]);
  });

  it('ignores an answer that arrives when another instance has the delivery', async () => {
    let answer = () => {};
    receiver.answer = (_delivery, response) => void (answer = () => void response.end());
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    await receiver.waitFor(1);
    await app.app
      .get(Database)
      .write((manager) => manager.update(WebhookDeliveryEntity, { endpointId: id }, { leaseOwner: 'another' }));
    answer();
    const { id: deliveryId } = await client.onlyDelivery(id, () => true);
    const logged = await eventually(async () => {
      const delivery = await client.delivery(id, deliveryId);
      return delivery.attempts.length === 1 ? delivery : undefined;
    });
    expect(logged).toMatchObject({ status: 'pending', attempt_count: 0 });
  });

  it('sends a test to an endpoint that has subscribed to another type', async () => {
    const { id, secret } = await client.create(receiver.url(), { events: ['agent.*'] });
    const queued = await client.request('POST', `/${id}/test`);
    expect(queued).toMatchObject({ event: 'webhook.test', status: 'pending', attempt_count: 0 });
    const [delivery] = await receiver.waitFor(1);
    expect(delivery && verify(delivery, secret)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
  });

  it("sends no events about the owners' changes to their endpoints", async () => {
    const { id } = await client.create(receiver.url());
    const other = await client.create(receiver.url('/other'), { events: ['webhook.*'] });
    await client.request('PUT', `/${other.id}`, { description: 'Changed.' });
    await client.request('POST', `/${other.id}/rotate_secret`);
    await client.request('POST', `/${other.id}/replay`, { from: '2026-01-01T00:00:00Z' });
    await client.request('DELETE', `/${other.id}`);
    await client.publish('chat.created', { n: 1 });
    await client.onlyDelivery(id, ({ event, status }) => event === 'chat.created' && status === 'succeeded');
    expect(await app.app.get(Database).repository(WebhookEventEntity).countBy({ userId: user.user.id })).toBe(1);
  });

  it('signs with the secrets of earlier rotations too, at most five, each for a day', async () => {
    const { id, secret } = await client.create(receiver.url());
    const rotate = async () => (await client.request<{ secret: string }>('POST', `/${id}/rotate_secret`)).secret;
    const secrets = [secret, await rotate(), await rotate()];
    expect(new Set(secrets).size).toBe(3);
    await client.publish('chat.created', { n: 1 });
    const [delivery] = await receiver.waitFor(1);
    expect(secrets.map((one) => delivery && verify(delivery, one))).toEqual(Array(3).fill(delivery?.body));
    const signatures = (sent?: Delivery) => String(sent?.headers['webhook-signature']).split(' ');
    expect(signatures(delivery)).toHaveLength(3);
    for (let count = 0; count < 4; count++) {
      await rotate();
    }
    await client.publish('chat.created', { n: 2 });
    expect(signatures((await receiver.waitFor(2))[1])).toHaveLength(6);
    client.advance(24 * 3_600_000 + 1);
    await client.publish('chat.created', { n: 3 });
    expect(signatures((await receiver.waitFor(3))[2])).toHaveLength(1);
  });

  it('resends requested events under the same webhook-id', async () => {
    const { id } = await client.create(receiver.url());
    const from = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
    await client.publish('chat.created', { n: 1 });
    const delivered = await client.onlyDelivery(id, ({ status }) => status === 'succeeded');
    await client.request('POST', `/${id}/deliveries/${delivered.id}/redeliver`);
    await receiver.waitFor(2);
    await client.onlyDelivery(id, ({ status, attempt_count }) => status === 'succeeded' && attempt_count === 2);
    const to = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString();
    expect(await client.request('POST', `/${id}/replay`, { from, to, only_failed: true })).toEqual({ replayed: 0 });
    expect(await client.request('POST', `/${id}/replay`, { from, to })).toEqual({ replayed: 1 });
    const [first, ...others] = await receiver.waitFor(3);
    expect(others.map((delivery) => delivery.id)).toEqual([first?.id, first?.id]);
    expect((await client.delivery(id, delivered.id)).attempts.length).toBeGreaterThanOrEqual(2);
  });

  it('filters the delivery log', async () => {
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 }, { n: 2 });
    await client.publish('chat.deleted', { n: 3 });
    await eventually(async () => ((await client.deliveries(id, 'status=succeeded')).length === 3 ? true : undefined));
    expect(await client.deliveries(id, 'event=chat.deleted')).toHaveLength(1);
    expect(await client.deliveries(id, 'status=pending')).toEqual([]);
    const page = await client.request('GET', `/${id}/deliveries?size=2&page=2`);
    expect(page).toMatchObject({ pagination: { page: 2, size: 2, total: 3, pages: 2 } });
  });

  it('stops immediately for a paused endpoint and drops a deleted one', async () => {
    const { id } = await client.create(receiver.url('/paused'));
    const deleted = await client.create(receiver.url('/deleted'));
    await client.create(receiver.url('/active'));
    await client.request('PUT', `/${id}`, { is_active: false });
    await client.request('DELETE', `/${deleted.id}`);
    await client.publish('chat.created', { n: 1 });
    await receiver.waitFor(1);
    client.advance(10_000);
    await client.request('PUT', `/${id}`, { is_active: true });
    await client.publish('chat.created', { n: 2 });
    await receiver.waitFor(3);
    const seen = receiver.deliveries.map(({ path, body }) => `${path} ${String(body.data.n)}`).sort();
    expect(seen).toEqual(['/active 1', '/active 2', '/paused 2']);
  });
});
