import { Webhook } from 'standardwebhooks';
import { Clock } from '../../src/common/clock';
import type { DeliveryDto } from '../../src/modules/webhook/management/delivery.dto';
import type { WebhookDto } from '../../src/modules/webhook/management/webhook.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { csvCells as cells, csvFile } from '../support/csv';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { INNER_HOSTS } from '../support/inner-hosts';
import { useAdmin, useTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { startCanary } from '../support/webhook-receiver';

const MINUTE = 60_000;

interface Body<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

interface Endpoint {
  id: number;
  url: string;
  secret?: string;
  [field: string]: unknown;
}

const app = useTestApp({ WEBHOOK_ALLOWED_HOSTS: '.internal, 10.0.0.0/8' });

describe('managing webhooks', () => {
  let user: TestAccount;
  beforeEach(async () => {
    user = await createUser(app);
  });

  const hook = (fields: object = {}) => ({ url: 'https://receiver.internal/in', events: ['*'], ...fields });

  async function create(fields: object = {}, account = user): Promise<Endpoint> {
    const answer = await call<Body<Endpoint>>(`${app.url}/webhooks`, { token: account.token, body: hook(fields) });
    expect(answer.status).toBe(201);
    return answer.body.data;
  }

  function request<Data>(method: string, path: string, body?: object, account = user) {
    return call<Body<Data>>(`${app.url}/webhooks${path}`, { method, token: account.token, body });
  }

  it('shows the secret once, in the Standard Webhooks format', async () => {
    const created = await create({ description: 'mine', include_content: true, events: ['message.*', 'chat.created'] });
    expect(created).toMatchObject({
      user_id: user.user.id,
      url: 'https://receiver.internal/in',
      events: ['message.*', 'chat.created'],
      description: 'mine',
      include_content: true,
      is_active: true,
      scope: 'own',
      disabled_reason: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(() => new Webhook(created.secret ?? '')).not.toThrow();
    const read = await request<Endpoint>('GET', `/${created.id}`);
    const { secret: _secret, ...visible } = created;
    expect(read.body.data).toEqual(visible);
    expect((await request('GET', '')).text).not.toContain('whsec_');
  });

  it('changes only the given fields', async () => {
    const created = await create();
    const changed = await request<Endpoint>('PUT', `/${created.id}`, {
      events: ['chat.*'],
      user_id: 1,
      secret: 'whsec_AAAA',
    });
    const { secret: _secret, ...visible } = created;
    expect(changed.body.data).toEqual({ ...visible, events: ['chat.*'], updated_at: expect.any(String) });
    const paused = await request<Endpoint>('PUT', `/${created.id}`, { is_active: false, description: '' });
    expect(paused.body.data).toMatchObject({ is_active: false, description: '', events: ['chat.*'] });
  });

  it('allows each user three endpoints, even in concurrent requests, and deletion frees a slot', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => request<Endpoint>('POST', '', hook())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused && expectFailure(refused, 422, 'VALIDATION_ERROR').details.reason).toBe('too_many_items');
    const list = await request<{ items: Endpoint[]; pagination: object }>('GET', '?size=2');
    expect(list.body.data.items).toHaveLength(2);
    expect(list.body.data.pagination).toEqual({ page: 1, size: 2, total: 3, pages: 2 });
    const [first] = list.body.data.items;
    expect((await request('DELETE', `/${first?.id}`)).status).toBe(200);
    expectFailure(await request('GET', `/${first?.id}`), 404, 'WEBHOOK_NOT_FOUND');
    expect((await request('POST', '', hook())).status).toBe(201);
  });

  it("hides other users' endpoints", async () => {
    const created = await create();
    const stranger = await createUser(app);
    const admin = await createAdmin(app);
    for (const account of [stranger, admin]) {
      for (const [method, path, body] of [
        ['GET', `/${created.id}`, undefined],
        ['PUT', `/${created.id}`, {}],
        ['DELETE', `/${created.id}`, undefined],
        ['POST', `/${created.id}/test`, {}],
        ['POST', `/${created.id}/rotate_secret`, {}],
        ['POST', `/${created.id}/replay`, { from: '2026-01-01T00:00:00Z' }],
        ['GET', `/${created.id}/deliveries`, undefined],
        ['GET', `/${created.id}/deliveries/1`, undefined],
        ['POST', `/${created.id}/deliveries/1/redeliver`, {}],
      ] as const) {
        expectFailure(await request(method, path, body, account), 404, 'WEBHOOK_NOT_FOUND');
      }
    }
    expectFailure(await call(`${app.url}/webhooks`), 401, 'UNAUTHORIZED');
  });

  it('allows only administrators the scope of all users', async () => {
    expectFailure(await request('POST', '', hook({ scope: 'all' })), 403, 'FORBIDDEN');
    const own = await create();
    expectFailure(await request('PUT', `/${own.id}`, { scope: 'all' }), 403, 'FORBIDDEN');
    expect(await create({ scope: 'all' }, await createAdmin(app))).toMatchObject({ scope: 'all' });
  });

  it('refuses an unknown event', async () => {
    const failure = expectFailure(await request('POST', '', hook({ events: ['message'] })), 422, 'VALIDATION_ERROR');
    expect(failure.details.field).toBe('events');
    expect((await request<{ items: [] }>('GET', '')).body.data.items).toEqual([]);
  });

  it('refuses URLs into the internal network at creation and at change, and connects nowhere', async () => {
    const canary = await startCanary();
    const created = await create();
    const opened = ['10.0.0.1', 'metadata.google.internal'];
    for (const host of INNER_HOSTS.filter((host) => !opened.includes(host))) {
      const url = `http://${host}:${canary.port}/`;
      const failure = expectFailure(await request('POST', '', hook({ url })), 422, 'WEBHOOK_URL_FORBIDDEN');
      expect(failure.details).toEqual({ field: 'url', reason: 'address_not_public' });
      expectFailure(await request('PUT', `/${created.id}`, { url }), 422, 'WEBHOOK_URL_FORBIDDEN');
    }
    const disguised = { url: 'https://hooks.example.com@127.0.0.1/' };
    expectFailure(await request('POST', '', hook(disguised)), 422, 'WEBHOOK_URL_FORBIDDEN');
    expect((await request<Endpoint>('GET', `/${created.id}`)).body.data.url).toBe('https://receiver.internal/in');
    expect(canary.connections()).toBe(0);
    await canary.stop();
  });

  it('answers 400 to the id 0', async () => {
    expectFailure(await request('GET', '/0'), 400, 'VALIDATION_ERROR');
  });

  it.each([
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-01-31T00:00:00Z', to: '2026-01-30' }, 'to'],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
  ])('refuses to replay %j', async (body, field) => {
    const { id } = await create();
    const failure = expectFailure(await request('POST', `/${id}/replay`, body), 422, 'VALIDATION_ERROR');
    expect(failure.details.field).toBe(field);
  });

  it('refuses wrong filters', async () => {
    const { id } = await create();
    expectFailure(await request('GET', `/${id}/deliveries?status=lost`), 400, 'VALIDATION_ERROR');
    expectFailure(await request('GET', `/${id}/deliveries/1`), 404, 'DELIVERY_NOT_FOUND');
  });

  it('lists every event type with an example and a schema', async () => {
    const answer = await request<{ items: { type: string; example: object; schema: object }[] }>('GET', '/events');
    expect(answer.body).toMatchObject({ success: true, message: expect.any(String), timestamp: expect.any(String) });
    expect(answer.body.data.items.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['user.registered', 'message.completed', 'webhook.disabled']),
    );
  });
});

describe('the list of all webhooks', () => {
  const admin = useAdmin(app);
  let user: TestAccount;
  let client: WebhookClient;

  const now = () => app.app.get(Clock).now().toISOString();
  const file = (path: string, token = admin.account.token) => csvFile(`${app.url}${path}`, token);
  const hooks = (query: string) => admin.items<WebhookDto>(`/admin/webhooks?user_id=${user.user.id}&${query}`);
  const paths = async (query: string) => (await hooks(query)).map(({ url }) => new URL(url).pathname);

  beforeEach(async () => {
    user = await createUser(app);
    client = new WebhookClient(app, user);
    await client.create('https://hooks.internal/b');
    await client.create('https://hooks.internal/A', { is_active: false, description: '+SUM' });
  });

  it('is sorted and filtered', async () => {
    expect(await paths('')).toEqual(['/b', '/A']);
    expect(await paths('sort=-id')).toEqual(['/A', '/b']);
    expect(await paths('sort=url')).toEqual(['/A', '/b']);
    expect(await paths('sort=-created_at')).toEqual(['/A', '/b']);
    expect(await paths('sort=failure_count')).toEqual(['/b', '/A']);
    expect(await paths('is_active=false')).toEqual(['/A']);
    expect(await paths('is_active=true')).toEqual(['/b']);
    expect(await paths('scope=all')).toEqual([]);
    expect(await paths('scope=own&q=INTERNAL/a')).toEqual(['/A']);
    expect(await admin.items<WebhookDto>('/admin/webhooks?user_id=999999999')).toEqual([]);
  });

  it('is exported as a file', async () => {
    const { name, rows } = await file(`/admin/webhooks?format=csv&user_id=${user.user.id}`);
    expect(name).toBe('attachment; filename="webhooks.csv"');
    const listed = await hooks('');
    expect(rows).toEqual([cells(listed[0] ?? {}), { ...cells(listed[1] ?? {}), description: "'+SUM" }]);
  });

  it('has deliveries in a period, sorted, and as a file', async () => {
    const [hook] = await hooks('');
    const id = hook?.id ?? 0;
    const arrived = (count: number) => eventually(async () => (await client.deliveries(id)).length === count);
    await client.publish('chat.created', { chat_id: 1 });
    await arrived(1);
    app.advanceClock(MINUTE);
    const between = now();
    app.advanceClock(MINUTE);
    await client.publish('chat.deleted', { chat_id: 1 });
    await arrived(2);
    const events = async (query: string) => (await client.deliveries(id, query)).map(({ event }) => event);
    expect(await events('')).toEqual(['chat.deleted', 'chat.created']);
    expect(await events('sort=id')).toEqual(['chat.created', 'chat.deleted']);
    expect(await events('sort=-created_at')).toEqual(['chat.deleted', 'chat.created']);
    expect(await events(`from=${between}`)).toEqual(['chat.deleted']);
    expect(await events(`to=${between}`)).toEqual(['chat.created']);
    expect((await events('sort=next_attempt_at')).sort()).toEqual(['chat.created', 'chat.deleted']);
    const path = `/webhooks/${id}/deliveries?format=csv&to=${between}`;
    const { name, rows } = await file(path, user.token);
    expect(name).toBe(`attachment; filename="deliveries-of-webhook-${id}.csv"`);
    const [listed] = await client.deliveries(id, `to=${between}`);
    const { id: deliveryId, webhook_id, event, event_id, created_at } = listed as DeliveryDto;
    expect(rows).toEqual([expect.objectContaining(cells({ id: deliveryId, webhook_id, event, event_id, created_at }))]);
    expectFailure(await call(`${app.url}${path}`, { token: admin.account.token }), 404, 'WEBHOOK_NOT_FOUND');
    const backwards = `/webhooks/${id}/deliveries?from=2026-01-02&to=2026-01-01`;
    expectFailure(await call(`${app.url}${backwards}`, { token: user.token }), 400, 'VALIDATION_ERROR');
  });
});
