import { Clock } from '../../src/common/clock';
import type { DeliveryDto } from '../../src/modules/webhook/management/delivery.dto';
import type { WebhookDto } from '../../src/modules/webhook/management/webhook.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { csvCells as cells, csvFile } from '../support/csv';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';

const MINUTE = 60_000;

describe('the list of all webhooks', () => {
  const app = useTestApp({ WEBHOOK_ALLOWED_HOSTS: '.internal' });
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
