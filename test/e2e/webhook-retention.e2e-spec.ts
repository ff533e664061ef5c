// @databases mariadb: statements written by hand
import { Database } from '../../src/database/database';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import {
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
} from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { WebhookRetention } from '../../src/modules/webhook/webhook.retention';
import { createAdmin, createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const DAY = 24 * 3_600_000;

describe('stored webhook data', () => {
  let app: TestApp;
  let receiver: WebhookReceiver;
  let user: TestAccount;
  let client: WebhookClient;

  beforeEach(async () => {
    // Closed accounts are erased immediately.
    app = await startTestApp({ ACCOUNT_ERASE_DAYS: '0' });
    receiver = await WebhookReceiver.start();
    user = await createUser(app);
    client = new WebhookClient(app, user);
  });

  afterEach(async () => {
    await app.close();
    await receiver.stop();
  });

  const rowCounts = () =>
    Promise.all(
      [WebhookEndpointEntity, WebhookEventEntity, WebhookDeliveryEntity, WebhookAttemptEntity].map((entity) =>
        app.app.get(Database).repository<object>(entity).count({ withDeleted: true }),
      ),
    );

  async function deliver(id: number, ...data: Record<string, unknown>[]): Promise<void> {
    const before = (await client.deliveries(id, 'status=succeeded')).length;
    await client.publish('chat.created', ...data);
    await eventually(async () =>
      (await client.deliveries(id, 'status=succeeded')).length === before + data.length ? true : undefined,
    );
  }

  async function purge(): Promise<void> {
    while ((await app.app.get(WebhookRetention).purge()) !== null);
  }

  it('is deleted after thirty days', async () => {
    const { id } = await client.create(receiver.url());
    await deliver(id, { n: 1 }, { n: 2 });
    client.advance(20 * DAY);
    await deliver(id, { n: 3 });
    await purge();
    expect(await rowCounts()).toEqual([1, 3, 3, 3]);
    client.advance(11 * DAY);
    await purge();
    expect(await rowCounts()).toEqual([1, 1, 1, 1]);
  });

  it('does not exist without an endpoint, and is deleted with its endpoint, except for data shared with other endpoints', async () => {
    await client.publish('chat.created', { n: 0 });
    expect(await rowCounts()).toEqual([0, 0, 0, 0]);
    const first = await client.create(receiver.url('/first'));
    await deliver(first.id, { n: 1 });
    const second = await client.create(receiver.url('/second'));
    await deliver(second.id, { n: 2 });
    await client.request('DELETE', `/${first.id}`);
    await purge();
    expect(await rowCounts()).toEqual([1, 1, 1, 1]);
    await client.request('DELETE', `/${second.id}`);
    await purge();
    expect(await rowCounts()).toEqual([0, 0, 0, 0]);
  });

  it('is in the export of the user without secrets, and is erased with the user', async () => {
    const { id, secret } = await client.create(receiver.url(), { include_content: true });
    await deliver(id, { n: 1, content: 'said by the user' });
    const stored = await app.app.get(Database).repository(WebhookEndpointEntity).findOneByOrFail({ id });
    expect(stored.secret).not.toContain(secret.slice('whsec_'.length));
    const { text } = await call(`${app.url}/user/export`, { token: user.token });
    expect(text).toContain(receiver.url());
    expect(text).toContain('said by the user');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(stored.secret);
    for (const source of app.app.get(PersonalDataRegistry).sources.filter(({ name }) => name.startsWith('webhook'))) {
      await source.erase(user.user.id);
    }
    expect(await rowCounts()).toEqual([0, 0, 0, 0]);
  });

  it('is deleted with the account, except for the event about its end, which is sent without its name', async () => {
    const [admin, leaver] = [await createAdmin(app), await createUser(app)];
    const administration = new WebhookClient(app, admin);
    receiver.answer = (_delivery, response) => void response.writeHead(503).end();
    const events = ['chat.created', 'user.deleted'];
    await administration.create(receiver.url('/admin'), { scope: 'all', events });
    const own = new WebhookClient(app, leaver);
    const { id } = await own.create(receiver.url('/own'), { description: 'my own', events });
    await own.publish('chat.created', { n: 1 });
    await eventually(async () => (await own.deliveries(id, 'status=pending'))[0]?.attempt_count === 1);
    const body = { password: PASSWORD };
    await call(`${app.url}/user/account`, { method: 'DELETE', token: leaver.token, body });

    const database = app.app.get(Database);
    const ofLeaver = { userId: leaver.user.id };
    await eventually(async () => {
      const users = database.repository(UserEntity);
      const left = await users.findOneOrFail({ where: { id: leaver.user.id }, withDeleted: true });
      return left.eraseAt === null;
    });
    const [event, ...others] = await database.repository(WebhookEventEntity).findBy(ofLeaver);
    expect(event).toMatchObject({ type: 'user.deleted', data: { user_id: leaver.user.id, username: '' } });
    expect(others).toEqual([]);
    expect(await database.repository(WebhookEndpointEntity).findOneByOrFail(ofLeaver)).toMatchObject({
      description: '',
    });
    await purge();
    expect(await database.repository(WebhookEndpointEntity).countBy(ofLeaver)).toBe(1);

    // An hour later a running attempt would be repeated.
    const tried = { status: 'pending', attemptCount: 1 } as const;
    await eventually(async () => (await database.repository(WebhookDeliveryEntity).countBy(tried)) === 2);
    receiver.answer = (_delivery, response) => void response.end();
    receiver.deliveries.length = 0;
    administration.advance(3_600_000);
    await eventually(
      async () => (await database.repository(WebhookDeliveryEntity).countBy({ status: 'pending' })) === 0,
    );
    expect(receiver.deliveries.map(({ path }) => path).sort()).toEqual(['/admin', '/own']);
    for (const delivery of receiver.deliveries) {
      expect(delivery.body).toMatchObject({ id: event?.publicId, data: { user_id: leaver.user.id, username: '' } });
    }
    await purge();
    expect(await database.repository(WebhookEndpointEntity).count({ where: ofLeaver, withDeleted: true })).toBe(0);
  });
});
