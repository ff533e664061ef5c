// @databases mariadb: requests at the same time
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const HOUR = 3_600_000;
const EVER = { from: '2020-01-01' };

describe('resending events', () => {
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

  const numbers = (path = '/') => receiver.received((one) => one.path === path).map(({ body }) => body.data.n);
  const replay = (id: number, body: object = EVER) =>
    client.request<{ replayed: number }>('POST', `/${id}/replay`, body);

  /** Resolves once this number of the endpoint's deliveries is in this state. */
  async function settled(id: number, count: number, status = 'succeeded'): Promise<void> {
    await eventually(async () => (await client.deliveries(id, `status=${status}`)).length === count);
  }

  it('sends everything in the period, delivered or not, under the same ids', async () => {
    const { id } = await client.create(receiver.url());
    receiver.answer = ({ body }, response) => void response.writeHead(body.data.n === 2 ? 503 : 200).end();
    await client.publish('chat.created', { n: 1 }, { n: 2 });
    await settled(id, 1);
    await eventually(async () => (await client.get(id)).failure_count === 1);
    receiver.answer = (_delivery, response) => void response.end();
    expect(await replay(id)).toEqual({ replayed: 2 });
    await receiver.waitFor(4);
    await settled(id, 2);
    expect(numbers().sort()).toEqual([1, 1, 2, 2]);
    expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(2);
    const later = { from: new Date(Date.now() + 400 * 24 * HOUR).toISOString(), to: '2099-01-01' };
    expect(await replay(id, later)).toEqual({ replayed: 0 });
  });

  it('sends only failed deliveries with `only_failed`', async () => {
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    await settled(id, 1);
    expect(await replay(id, { ...EVER, only_failed: true })).toEqual({ replayed: 0 });
    receiver.answer = (_delivery, response) => void response.writeHead(410).end();
    await client.publish('chat.created', { n: 2 });
    await eventually(async () => !(await client.get(id)).is_active);
    receiver.answer = (_delivery, response) => void response.end();
    expect(await replay(id, { ...EVER, only_failed: true })).toEqual({ replayed: 1 });
    await receiver.waitFor(3);
    expect(numbers()).toEqual([1, 2, 2]);
  });

  it('skips running attempts', async () => {
    const { id } = await client.create(receiver.url());
    const held: (() => void)[] = [];
    receiver.answer = (_delivery, response) => void held.push(() => response.end());
    await client.publish('chat.created', { n: 1 });
    await receiver.waitFor(1);
    const [attempted] = await client.deliveries(id);
    expect(await client.request('POST', `/${id}/deliveries/${attempted?.id}/redeliver`)).toEqual(attempted);
    held.forEach((answer) => answer());
    await settled(id, 1);
    expect(numbers()).toEqual([1]);
  });

  it('sends subscribed events from before the endpoint existed', async () => {
    const first = await client.create(receiver.url('/first'));
    await client.publish('chat.created', { n: 1 });
    await client.publish('chat.deleted', { n: 2 });
    await settled(first.id, 2);
    await client.request('POST', `/${first.id}/test`);
    await settled(first.id, 3);
    // Earlier events that are delivered only now.
    app.advanceClock(1_000);
    const second = await client.create(receiver.url('/second'), { events: ['chat.deleted', 'webhook.*'] });
    app.resetClock();
    await client.publish('chat.deleted', { n: 3 });
    await settled(first.id, 4);
    expect(await client.deliveries(second.id)).toEqual([]);
    expect(await replay(second.id)).toEqual({ replayed: 2 });
    await receiver.waitFor(2, ({ path }) => path === '/second');
    await settled(second.id, 2);
    expect(numbers('/second').sort()).toEqual([2, 3]);
    const stranger = new WebhookClient(app, await createUser(app));
    const { id } = await stranger.create(receiver.url('/stranger'));
    expect(await stranger.request('POST', `/${id}/replay`, EVER)).toEqual({ replayed: 0 });
  });

  it('sends everything once for each of two concurrent replays, and makes no delivery twice', async () => {
    const first = await client.create(receiver.url('/first'));
    await client.publish('chat.created', ...Array.from({ length: 20 }, (_element, n) => ({ n })));
    await settled(first.id, 20);
    const { id } = await client.create(receiver.url('/second'));
    const counts = await Promise.all([replay(id), replay(id)]);
    await settled(id, 20);
    expect(await client.deliveries(id)).toHaveLength(20);
    expect(new Set(numbers('/second')).size).toBe(20);
    expect(Math.max(...counts.map(({ replayed }) => replayed))).toBe(20);
  });

  it('is limited to twenty an hour, however many endpoints its user creates', async () => {
    const ids = [(await client.create(receiver.url())).id, (await client.create(receiver.url())).id];
    const ask = (id: number | undefined, { token } = user) =>
      call(`${app.url}/webhooks/${id}/replay`, { token, body: EVER });
    // No other test uses up the limit.
    const stranger = await createUser(app);
    expectFailure(await ask(ids[0], stranger), 404, 'WEBHOOK_NOT_FOUND');
    const answers = await Promise.all(Array.from({ length: 22 }, (_element, index) => ask(ids[index % 2])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    await client.request('DELETE', `/${ids[0]}`);
    const { id } = await client.create(receiver.url());
    const { details, retry_after } = expectFailure(await ask(id), 429, 'RATE_LIMIT_EXCEEDED');
    expect(details).toEqual({ limit: 20 });
    expect(retry_after).toBeGreaterThan(3_500);
  });

  it('reports that there is nothing to send, in the language of the caller', async () => {
    const { id } = await client.create(receiver.url());
    const answer = (lang: string) =>
      call<{ message: string }>(`${app.url}/webhooks/${id}/replay`, { token: user.token, body: { ...EVER, lang } });
    expect((await answer('en')).body.message).toContain('no events to resend');
    expect((await answer('de')).body.message).toContain('keine Ereignisse');
    await client.publish('chat.created', { n: 1 });
    await settled(id, 1);
    expect((await answer('en')).body).toMatchObject({
      message: 'Events being resent: 1.',
      data: { replayed: 1 },
    });
  });

  it('is sent immediately to an endpoint that is switched off, with one attempt, and nothing else is', async () => {
    const { id } = await client.create(receiver.url());
    receiver.answer = (_delivery, response) => void response.writeHead(503).end();
    await client.publish('chat.created', { n: 1 });
    await client.publish('chat.created', { n: 2 });
    await eventually(async () => (await client.get(id)).failure_count === 2);
    await client.request('PUT', `/${id}`, { is_active: false });
    const tested = await client.request<{ id: number }>('POST', `/${id}/test`);
    await settled(id, 1, 'failed');
    expect(await client.delivery(id, tested.id)).toMatchObject({ status: 'failed', attempt_count: 1 });
    receiver.answer = (_delivery, response) => void response.end();
    await client.request('POST', `/${id}/test`);
    await settled(id, 1);
    const waiting = await client.deliveries(id, 'status=pending');
    expect(waiting.map(({ attempt_count }) => attempt_count)).toEqual([1, 1]);
    await client.request('POST', `/${id}/deliveries/${waiting[0]?.id}/redeliver`);
    await settled(id, 2);
    client.advance(HOUR);
    await client.request('POST', `/${id}/test`);
    await settled(id, 3);
    expect(await client.deliveries(id, 'status=pending')).toEqual([waiting[1]]);
    expect(await replay(id)).toEqual({ replayed: 5 });
    await settled(id, 5);
    expect(await client.get(id)).toMatchObject({ is_active: false });
    expect(numbers().filter((n) => n === 1)).toHaveLength(2);
  });

  it('includes the owner and the agent of the conversation in the events of all users', async () => {
    const admin = await createAdmin(app);
    const administration = new WebhookClient(app, admin);
    const all = await administration.create(receiver.url('/all'), {
      scope: 'all',
      events: ['chat.*', 'message.*'],
    });
    await client.create(receiver.url('/own'), { events: ['chat.*', 'message.*'] });
    const body = { title: 'Mine' };
    const chat = (await call<{ id: number; agent_id: number }>(`${app.url}/chat`, { token: user.token, body })).body;
    const sent = { chat_id: chat.id, content: 'Hello' };
    const messages = await call<{ id: number }[]>(`${app.url}/chat/message`, { token: user.token, body: sent });
    const path = `${app.url}/chat/${chat.id}`;
    await call(`${path}/messages/${messages.body[1]?.id}/feedback`, {
      method: 'PUT',
      token: user.token,
      body: { rating: 'like' },
    });
    await call(path, { method: 'PUT', token: user.token, body: { is_pinned: true } });
    await call(path, { method: 'DELETE', token: user.token });
    await call(`${path}/restore`, { method: 'POST', token: user.token });
    const types = [
      'chat.created',
      'chat.deleted',
      'chat.restored',
      'chat.updated',
      'message.completed',
      'message.created',
      'message.feedback',
      'message.started',
    ];
    for (const endpoint of ['/all', '/own']) {
      const received = await receiver.waitFor(types.length, (delivery) => delivery.path === endpoint);
      expect(received.map((delivery) => delivery.body.type).sort()).toEqual(types);
      for (const { data } of received.map((delivery) => delivery.body)) {
        expect(data).toMatchObject({ chat_id: chat.id, user_id: user.user.id, agent_id: chat.agent_id });
      }
    }
    // The administrator’s endpoint for own events gets none of them again, nor does a key without the read scope.
    const own = await administration.create(receiver.url('/administrator'), { events: ['chat.*', 'message.*'] });
    expect(await administration.request('POST', `/${own.id}/replay`, EVER)).toEqual({ replayed: 0 });
    const { key: token } = await makeKey(app, admin.token, { scopes: ['webhooks'] });
    const again = await call<{ data: object }>(`${app.url}/webhooks/${all.id}/replay`, { token, body: EVER });
    expect(again.body.data).toEqual({ replayed: 0 });
    const shown = await call<{ data: { items: object[] } }>(`${app.url}/webhooks/${all.id}/deliveries`, { token });
    expect(shown.body.data.items).toEqual([]);
  });
});
