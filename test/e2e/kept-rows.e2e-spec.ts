// @databases mariadb: statements written by hand
import { ActionBudgets } from '../../src/common/rate-limit/action-budgets';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { KnownClientEntity } from '../../src/modules/auth/clients/known-client.entity';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { SessionEntity } from '../../src/modules/user/sessions/session.entity';
import { MOST_ATTEMPTS, MOST_DELIVERIES, NOTED_DELIVERIES } from '../../src/modules/webhook/delivery/kept-deliveries';
import {
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
} from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { newDelivery } from '../../src/modules/webhook/delivery/webhook-fan-out';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { createUser, PASSWORD } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useChatApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const MOST_SIGN_INS = 1_000;
const MOST_EMPTY_CHATS = 1_000;
const MOST_KEY_CHANGES = 1_000;
const MOST_OF_FREE = MOST_DELIVERIES.normal ?? 0;

/** One account that sends requests continuously may not fill the disk for all users. */
describe('the stored rows of one account', () => {
  const app = useChatApp({ QUOTA_FREE_STORAGE_MB: '1', RATE_LIMIT_NORMAL: '1000000', RATE_LIMIT_AUTH: '1000000' });
  const database = () => app.app.get(Database);
  const numbers = (count: number) => Array.from({ length: count }, (_element, index) => index);

  async function spend(name: string, user: ChatClient, times: number): Promise<void> {
    const { id } = (await user.request<{ id: number }>('/auth/me')).body;
    const budget = { name, limit: 1_000, milliseconds: 86_400_000 };
    await Promise.all(numbers(times).map(() => app.app.get(ActionBudgets).take(budget, id)));
  }

  describe('for webhooks', () => {
    let receiver: WebhookReceiver;

    beforeEach(async () => {
      receiver = await WebhookReceiver.start();
    });

    afterEach(() => receiver.stop());

    /** Events that the endpoints received earlier. */
    async function earlier(userId: number, endpointIds: number[], count: number): Promise<void> {
      const now = new Date();
      const type = 'chat.created';
      const of = { type, userId, endpointId: null, data: {}, content: null, occurredAt: now, dispatchedAt: now };
      await database().write(async (manager) => {
        const [last] = await manager.find(WebhookEventEntity, { order: { id: 'DESC' }, take: 1 });
        const ids = numbers(count).map((index) => (last?.id ?? 0) + index + 1);
        const events = ids.map((id) => ({ ...of, id, publicId: `evt_${id}` }));
        await insertBatch(manager, WebhookEventEntity, events);
        const ended = { status: 'succeeded', nextAttemptAt: null, completedAt: now } as const;
        const deliveries = endpointIds.flatMap((id) =>
          events.map((event) => ({ ...newDelivery(id, event, now), ...ended })),
        );
        await insertBatch(manager, WebhookDeliveryEntity, deliveries);
      });
    }

    const kept = (endpointId: number) => database().repository(WebhookDeliveryEntity).countBy({ endpointId });
    const events = (userId: number) => database().repository(WebhookEventEntity).countBy({ userId });

    it('are the newest deliveries of an endpoint, and their events', async () => {
      const account = await createUser(app);
      const client = new WebhookClient(app, account);
      const busy = await client.create(receiver.url('/busy'));
      const quiet = await client.create(receiver.url('/quiet'), { events: ['agent.created'] });
      const shared = 30;
      await earlier(account.user.id, [busy.id, quiet.id], shared);
      await earlier(account.user.id, [busy.id], MOST_OF_FREE);
      await client.publish('chat.created', ...numbers(NOTED_DELIVERIES).map((n) => ({ n })));
      await eventually(async () => (await kept(busy.id)) === MOST_OF_FREE, 20_000);
      expect(await kept(quiet.id)).toBe(shared);
      expect(await events(account.user.id)).toBe(MOST_OF_FREE + shared);
    });

    it('are more for a paying user, and unlimited for an administrator', async () => {
      const tiers = [{ membershipType: 'monthly' as const }, { userType: 'admin' as const }];
      for (const columns of tiers) {
        const account = await createUser(app, columns);
        const client = new WebhookClient(app, account);
        const { id } = await client.create(receiver.url());
        await earlier(account.user.id, [id], MOST_OF_FREE);
        for (let round = 1; round <= 2; round++) {
          await client.publish('chat.created', ...numbers(NOTED_DELIVERIES).map((n) => ({ n })));
          await eventually(async () => (await kept(id)) === MOST_OF_FREE + round * NOTED_DELIVERIES);
        }
      }
    });

    it('are the last attempts of a delivery that is sent repeatedly', async () => {
      const client = new WebhookClient(app, await createUser(app));
      const { id } = await client.create(receiver.url('/again'));
      // A stopped receiver may have had the same port, and a request may be on its way to it.
      const attempts = () => receiver.deliveries.filter(({ path }) => path === '/again').length;
      receiver.answer = (_delivery, response) => void response.end(String(attempts()));
      await client.publish('chat.created', {});
      const delivery = await client.onlyDelivery(id, ({ status }) => status === 'succeeded');
      for (let again = 2; again <= MOST_ATTEMPTS + 2; again++) {
        await client.request('POST', `/${id}/deliveries/${delivery.id}/redeliver`);
        await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === again);
      }
      const shown = (await client.delivery(id, delivery.id)).attempts;
      expect(shown.map(({ response_body }) => response_body)).toEqual(
        numbers(MOST_ATTEMPTS).map((index) => String(index + 3)),
      );
      expect(await database().repository(WebhookAttemptEntity).countBy({ deliveryId: delivery.id })).toBe(
        MOST_ATTEMPTS,
      );
    });
  });

  it('are the most recently used sign-ins, and their clients', async () => {
    const account = await createUser(app);
    const userId = account.user.id;
    const me = () => call(`${app.url}/auth/me`, { token: account.token });
    const old = { createdAt: new Date(), lastUsedAt: new Date(0), expiresAt: new Date(Date.now() + 3_600_000) };
    const session = { ...old, userId, generation: 0, refreshHash: '', address: '', userAgent: null, replacedAt: [] };
    await database().write(async (manager) => {
      const rest = numbers(MOST_SIGN_INS - 1);
      await insertBatch(
        manager,
        SessionEntity,
        rest.map((index) => ({ ...session, family: `${userId}-${index}` })),
      );
      const client = { userId, kind: 'device' as const, signedInAt: new Date(0) };
      await manager.delete(KnownClientEntity, { userId });
      await insertBatch(
        manager,
        KnownClientEntity,
        numbers(MOST_SIGN_INS).map((index) => ({ ...client, clientHash: `${userId}-${index}` })),
      );
    });
    const body = { email: account.email, password: PASSWORD };
    for (let signIn = 0; signIn < 3; signIn++) {
      expect((await call(`${app.url}/auth/login`, { body })).status).toBe(200);
    }
    expect(await database().repository(SessionEntity).countBy({ userId })).toBe(MOST_SIGN_INS);
    expect(await database().repository(KnownClientEntity).countBy({ userId })).toBe(MOST_SIGN_INS);
    expect(
      await database()
        .repository(SessionEntity)
        .countBy({ family: `${userId}-0` }),
    ).toBe(0);
    // The first one is in use, and newer than the others by its use.
    expect((await me()).status).toBe(200);
  });

  it('are a thousand new conversations a day without messages', async () => {
    const user = await app.newClient();
    const begin = () => user.request('/chat', { body: {} });
    expect((await begin()).status).toBe(201);
    // As if they were started individually.
    await spend('empty-chats', user, MOST_EMPTY_CHATS - 3);
    const answers = await Promise.all(numbers(5).map(begin));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = await begin();
    expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    expect((await client.request('/conversations', { body: {} })).status).toBe(429);
    expect((await user.request<unknown[]>('/chat?limit=1')).headers.get('x-total-count')).toBe('3');
    const items = [{ role: 'user', content: 'Hello' }];
    expect((await client.request('/conversations', { body: { items } })).status).toBe(200);
    // This test does not count what quotas limit.
    expect((await client.post({ input: 'Hello' })).status).toBe(200);
  });

  it('are a thousand changes of keys a day, all of which the audit log keeps', async () => {
    const user = await app.newClient();
    const path = '/user/api-keys';
    const make = () => user.request<{ id: number }>(path, { body: { name: 'a key', scopes: ['openai'] } });
    const { id } = (await make()).body;
    await spend('api-key-changes', user, MOST_KEY_CHANGES - 2);
    expect((await user.request(`${path}/${id}/rotate`, { method: 'POST' })).status).toBe(200);
    expectFailure(await make(), 429, 'RATE_LIMIT_EXCEEDED');
    expectFailure(await user.request(`${path}/${id}/rotate`, { method: 'POST' }), 429, 'RATE_LIMIT_EXCEEDED');
    const renamed = await user.request(`${path}/${id}`, { method: 'PUT', body: { name: 'another' } });
    expectFailure(renamed, 429, 'RATE_LIMIT_EXCEEDED');
    expect((await user.request(`${path}/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  it("include comments on client replies within the client's storage", async () => {
    const user = await app.newClient();
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const used = async () => (await user.request<QuotaDto>('/user/quota')).body.storage.used;
    const { id } = (await client.request<{ id: string }>('/conversations', { body: {} })).body;
    const items = [
      { role: 'assistant', content: 'x'.repeat(500_000) },
      { role: 'user', content: 'x'.repeat(540_000) },
      { role: 'assistant', content: 'short' },
    ];
    await client.request(`/conversations/${id}/items`, { body: { items } });
    const before = await used();
    const [chat] = (await user.request<{ id: number }[]>('/chat')).body;
    const messages = await user.request<{ id: number }[]>(`/chat/${chat?.id}/messages`);
    const rate = (body: object, index = 0) =>
      user.request(`/chat/${chat?.id}/messages/${messages.body[index]?.id}/feedback`, { method: 'PUT', body });
    expect((await rate({ rating: 'like', comment: '😀'.repeat(1_000) })).status).toBe(200);
    expect(await used()).toBe(before + 4_000);
    expectFailure(await rate({ rating: 'like', comment: '😀'.repeat(2_000) }, 2), 413, 'STORAGE_QUOTA_EXCEEDED');
    expect((await rate({ rating: 'dislike' }, 2)).status).toBe(200);
    expect((await rate({ rating: 'like', comment: 'short' })).status).toBe(200);
    expect(await used()).toBe(before + 5);
    expect((await rate({ rating: null })).status).toBe(200);
    expect(await used()).toBe(before);
    await client.request(`/conversations/${id}`, { method: 'DELETE' });
    // Users' own replies count by their number.
    const own = await user.createChat();
    const [, reply] = (await user.send(own.id, 'Hello')).body;
    const feedback = `/chat/${own.id}/messages/${reply.id}/feedback`;
    const body = { rating: 'like', comment: 'good' };
    expect((await user.request(feedback, { method: 'PUT', body })).status).toBe(200);
    expect(await used()).toBe(before);
  });
});
