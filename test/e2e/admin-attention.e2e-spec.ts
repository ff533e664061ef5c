import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/database/database';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import type { Hold } from '../../src/modules/budget/admission/hold';
import { BudgetWindowEntity } from '../../src/modules/budget/windows/budget-window.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { hold, makeBudget, settle } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import { useOwnChatApp } from '../support/use-app';

describe('what needs an administrator', () => {
  const app = useOwnChatApp();
  let admin: AdminClient;
  const items = async (): Promise<AttentionItemDto[]> =>
    (await admin.get<AttentionItemDto[]>('/admin/attention')).body.data;
  const ofKind = async (kind: string): Promise<AttentionItemDto[]> =>
    (await items()).filter((item) => item.kind === kind);

  beforeAll(async () => (admin = await AdminClient.of(app)));

  it('is nothing while all is well, and for administrators alone', async () => {
    expect(await items()).toEqual([]);
    const { token } = await createUser(app);
    expect((await call(`${app.url}/admin/attention`, { token })).status).toBe(403);
  });

  it('is a model that fails again and again, until it answers', async () => {
    const client = await app.newClient({ userType: 'admin' });
    const { id } = await client.createChat();
    const content = uniqueContent('fails');
    await app.model.script({ key: content, status: 500, body: 'x', times: 50 });
    while ((await ofKind('model_failing')).length === 0) await client.send(id, content);
    const [item] = await ofKind('model_failing');
    expect(item).toMatchObject({ target: 'default:scripted', since: expect.any(String) as string });
    expect(item?.count).toBeGreaterThanOrEqual(5);
    await client.send((await client.createChat()).id, uniqueContent('works'));
    expect(await ofKind('model_failing')).toEqual([]);
  });

  it('is a provider that refuses its key', async () => {
    const client = await app.newClient();
    const { id } = await client.createChat();
    const content = uniqueContent('refused');
    await app.model.script({ key: content, status: 401, body: '{}', times: 1 });
    await client.send(id, content);
    expect(await ofKind('provider_key_refused')).toEqual([
      { kind: 'provider_key_refused', target: 'default', since: expect.any(String) as string, count: 1 },
    ]);
    await client.send(id, uniqueContent('works'));
    expect(await ofKind('provider_key_refused')).toEqual([]);
  });

  it('is a webhook for the events of everybody that fails, or was switched off for it', async () => {
    const made = await admin.post<{ id: number }>('/webhooks', {
      url: 'https://example.com/hook',
      events: ['*'],
      scope: 'all',
    });
    const { id } = made.body.data;
    const since = new Date('2026-01-31T09:30:00.000Z');
    const change = (changes: Partial<WebhookEndpointEntity>) =>
      app.app.get(Database).write((manager) => manager.update(WebhookEndpointEntity, { id }, changes));
    await change({ failingSince: since, failureCount: 7 });
    const target = String(id);
    expect(await items()).toEqual([{ kind: 'webhook_failing', since: since.toISOString(), count: 7, target }]);
    await change({ isActive: false, disabledReason: 'gone', disabledAt: since });
    expect(await items()).toEqual([{ kind: 'webhook_disabled', since: since.toISOString(), count: 1, target }]);
    await change({ disabledReason: null });
    expect(await items()).toEqual([]);
  });

  it('is a backup of which the newest is too old', async () => {
    const [folder, before] = [await mkdtemp(join(tmpdir(), 'backups-')), process.cwd()];
    const backups = join(folder, 'data/backups');
    await mkdir(backups, { recursive: true });
    const back = async (days: number): Promise<string> => {
      const created_at = new Date(Date.now() - days * 86_400_000).toISOString();
      await writeFile(join(backups, `${days}`), '');
      await writeFile(join(backups, `${days}.manifest.json`), JSON.stringify({ created_at }));
      return created_at;
    };
    process.chdir(folder);
    try {
      expect(await ofKind('backup_old')).toEqual([]);
      const since = await back(9);
      expect(await ofKind('backup_old')).toEqual([{ kind: 'backup_old', since, count: 9, target: null }]);
      await back(1);
      expect(await ofKind('backup_old')).toEqual([]);
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true });
    }
  });

  it('is a budget of many that is nearly used', async () => {
    const made = await admin.post<{ id: number }>('/admin/budgets', {
      scope: 'service',
      limit: '0',
      window: 'month',
      mode: 'soft',
    });
    expect(made.status).toBe(201);
    const client = await app.newClient();
    await client.send((await client.createChat()).id, uniqueContent('works'));
    expect(await ofKind('budget_nearly_used')).toMatchObject([{ count: 100, target: String(made.body.data.id) }]);
    await admin.delete(`/admin/budgets/${made.body.data.id}`);
    expect(await ofKind('budget_nearly_used')).toEqual([]);
    const { id } = await makeBudget(admin, { scope: 'service', limit: '10' });
    const held = (await hold(app, {}, '9')) as Hold;
    expect(await ofKind('budget_nearly_used')).toMatchObject([{ count: 90, target: String(id) }]);
    const over = { endsAt: new Date(Date.now() - 1) };
    await app.app.get(Database).write((manager) => manager.update(BudgetWindowEntity, { budgetId: id }, over));
    expect(await ofKind('budget_nearly_used')).toEqual([]);
    await settle(app, held, '0');
    await admin.delete(`/admin/budgets/${id}`);
  });
});
