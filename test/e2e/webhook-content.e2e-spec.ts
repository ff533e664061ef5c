import type { Scope } from '../../src/common/security/scopes';
import { Database } from '../../src/database/database';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient } from '../support/chat-client';
import { call } from '../support/http';
import { useTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('user content in webhooks', () => {
  const app = useTestApp();
  let receiver: WebhookReceiver;
  let user: TestAccount;
  let client: WebhookClient;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    user = await createUser(app);
    client = new WebhookClient(app, user);
  });

  afterEach(() => receiver.stop());

  it('is included only on request, and truncated at 16 KB', async () => {
    await client.create(receiver.url('/thin'));
    await client.create(receiver.url('/whole'), { include_content: true });
    await client.publish('message.created', { n: 1, content: 'Grüße' }, { n: 2, content: `${'€'.repeat(6_000)}` });
    const received = await receiver.waitFor(4);
    const data = (path: string, n: number) =>
      received.find((delivery) => delivery.path === path && delivery.body.data.n === n)?.body.data;
    expect(data('/thin', 1)).toEqual({ n: 1 });
    expect(data('/whole', 1)).toEqual({ n: 1, content: 'Grüße' });
    expect(data('/whole', 2)).toEqual({ n: 2, content: '€'.repeat(5_461) });
  });

  it('is shown in deliveries only to keys that read conversations', async () => {
    const { id } = await client.create(receiver.url('/whole'), { include_content: true });
    await client.publish('message.created', { n: 1, content: 'Secret words' });
    await receiver.waitFor(1);
    const payload = async (scopes: Scope[]) => {
      const { key: token } = await makeKey(app, user.token, { scopes });
      const list = `${app.url}/webhooks/${id}/deliveries`;
      const { body } = await call<{ data: { items: { id: number }[] } }>(`${list}?event=message.created`, { token });
      const one = await call<{ data: { payload: { data: object } } }>(`${list}/${body.data.items[0]?.id}`, { token });
      return one.body.data.payload.data;
    };
    expect(await payload(['webhooks'])).toEqual({ n: 1 });
    expect(await payload(['webhooks', 'chat:read'])).toEqual({ n: 1, content: 'Secret words' });
  });

  it('includes text from users: titles, messages, and comments on replies', async () => {
    const administration = new WebhookClient(app, await createAdmin(app));
    const subscription = { events: ['chat.*', 'message.*'], include_content: true };
    await administration.create(receiver.url('/all'), { ...subscription, scope: 'all' });
    await client.create(receiver.url('/thin'), { events: subscription.events });
    await client.create(receiver.url('/whole'), subscription);
    const chats = new ChatClient(app.url, user.token);
    const chat = await chats.createChat();
    const [, reply] = (await chats.send(chat.id, 'Secret words')).body;
    const rating = { rating: 'like', comment: 'Secret praise' };
    await chats.request(`/chat/${chat.id}/messages/${reply.id}/feedback`, { method: 'PUT', body: rating });
    const types = [
      'chat.created',
      'chat.updated',
      'message.completed',
      'message.created',
      'message.feedback',
      'message.started',
    ];
    const received = await receiver.waitFor(types.length * 3);
    const sentTo = (path: string) => received.filter((delivery) => delivery.path === path).map(({ body }) => body);
    for (const path of ['/all', '/thin']) {
      const bodies = sentTo(path);
      expect(bodies.map(({ type }) => type).sort()).toEqual(types);
      expect(JSON.stringify(bodies)).not.toMatch(/Secret|"(title|comment|content)":/);
    }
    const content = Object.fromEntries(sentTo('/whole').map(({ type, data }) => [type, data]));
    expect(content).toMatchObject({
      'chat.created': { title: 'New chat' },
      'chat.updated': { title: 'Secret words', changed: ['title'] },
      'message.created': { content: 'Secret words' },
      'message.completed': { content: reply.content },
      'message.feedback': { comment: 'Secret praise', rating: 'like' },
    });
  });

  it('is not stored unless requested', async () => {
    const { id } = await client.create(receiver.url());
    await client.publish('message.created', { n: 1, content: 'private' });
    await client.onlyDelivery(id, ({ status }) => status === 'succeeded');
    const events = await app.app.get(Database).repository(WebhookEventEntity).findBy({ userId: user.user.id });
    expect(events.map(({ content }) => content)).toEqual([null]);
  });
});
