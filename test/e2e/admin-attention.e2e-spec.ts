import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/database/database';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import type { Hold } from '../../src/modules/budget/admission/budget-admission';
import type { UnpricedModelDto } from '../../src/modules/budget/budgets/budget.dto';
import { BudgetWindowEntity } from '../../src/modules/budget/windows/budget-window.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { hold, makeBudget, settle } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import { useOwnChatApp } from '../support/use-app';

describe('the attention list for administrators', () => {
  const app = useOwnChatApp();
  let admin: AdminClient;
  const items = async (): Promise<AttentionItemDto[]> =>
    (await admin.get<AttentionItemDto[]>('/admin/attention')).body.data;
  const ofKind = async (kind: string): Promise<AttentionItemDto[]> =>
    (await items()).filter((item) => item.kind === kind);

  beforeAll(async () => (admin = await AdminClient.of(app)));

  it('is empty while all is well, and for administrators only', async () => {
    expect(await items()).toEqual([]);
    const { token } = await createUser(app);
    expect((await call(`${app.url}/admin/attention`, { token })).status).toBe(403);
  });

  it('includes a model that fails repeatedly, until it answers', async () => {
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

  it('includes a provider that refuses its key', async () => {
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

  it('includes a global webhook that fails, or was disabled for it', async () => {
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

  it('includes the newest backup if it is too old', async () => {
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

  it('includes an almost used-up budget for many users', async () => {
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

  it('includes a model without a price that hard budgets refuse, until it has one', async () => {
    const unpriced = async (): Promise<UnpricedModelDto[]> =>
      (await admin.get<UnpricedModelDto[]>('/admin/budgets/unpriced_models')).body.data;
    const refused = async () => (await ofKind('model_unpriced')).map(({ target, count }) => [target, count]);
    const price = await admin.post<{ id: number }>('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    const body = { model: 'unheard-of', fallback_models: ['scripted'] };
    const made = await Promise.all(
      ['One', 'Other'].map((name) => admin.post<{ id: number; name: string }>('/agents', { ...body, name })),
    );
    // Its fallback is omitted, and it answers.
    await admin.post('/agents', { name: 'Falling', model: 'scripted', fallback_models: ['unheard-of'] });
    const agents = made.map(({ body: { data } }) => ({ id: data.id, name: data.name }));
    const entry = { provider: 'default', model: 'unheard-of', refused: true, budget_ids: [] as number[] };
    expect(await unpriced()).toMatchObject([{ ...entry, agents: expect.arrayContaining(agents) as object[] }]);

    const soft = await makeBudget(admin, { scope: 'service', limit: '10', mode: 'soft' });
    const later = { starts_at: new Date(Date.now() + 86_400_000).toISOString() };
    const ahead = await makeBudget(admin, { scope: 'service', limit: '10', ...later });
    const falling = await makeBudget(admin, { scope: 'agent', scope_id: 1, limit: '10' });
    expect(await refused()).toEqual([]);
    const hard = await makeBudget(admin, { scope: 'service', limit: '10' });
    const own = await makeBudget(admin, { scope: 'agent', scope_id: agents[0]!.id, limit: '10' });
    expect(await unpriced()).toMatchObject([{ ...entry, budget_ids: [hard.id, own.id] }]);
    expect(await ofKind('model_unpriced')).toEqual([
      { kind: 'model_unpriced', since: null, count: 2, target: 'default:unheard-of' },
    ]);
    for (const { id } of agents) await admin.put(`/agents/${id}`, { status: 'disabled' });
    expect([await unpriced(), await refused()]).toEqual([[], []]);
    for (const { id } of agents) await admin.put(`/agents/${id}`, { status: 'active' });
    expect(await refused()).toEqual([['default:unheard-of', 2]]);
    const added = await admin.post<{ id: number }>('/admin/prices', { model: 'unheard*', input: '1', output: '2' });
    expect([await unpriced(), await refused()]).toEqual([[], []]);

    for (const { id } of [soft, ahead, falling, hard, own]) await admin.delete(`/admin/budgets/${id}`);
    for (const { data } of [price.body, added.body]) await admin.delete(`/admin/prices/${data.id}`);
  });
});
