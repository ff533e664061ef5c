import { Database } from '../../src/database/database';
import { ManagedProviderEntity } from '../../src/integrations/llm/providers/managed-provider.entity';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import { newcomer } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';
import { createProvider, KEY, newName, providerFields } from './provider-requests';

describe('model providers', () => {
  const app = useChatApp({ LLM_API_KEY: 'environment-key-nobody-sees' });
  const admin = useAdmin(app);
  const fields = (overrides?: object) => providerFields(app, overrides);
  const create = (overrides?: object) => createProvider(app, admin, overrides);

  async function createAgent(body: object): Promise<{ id: number; name: string }> {
    const answer = await admin.post<{ id: number; name: string }>('/agents', { name: newcomer().username, ...body });
    expect(answer.status).toBe(201);
    return answer.body.data;
  }

  it('start with the one from the environment and the demo, which show nothing of the key', async () => {
    const { body, text } = await admin.get<{ items: ProviderDto[] }>('/admin/providers?size=2');
    expect(body.data.items).toMatchObject([
      {
        id: null,
        name: 'default',
        kind: 'openai-compatible',
        source: 'environment',
        base_url: app.model.openAiUrl,
        has_api_key: true,
        api_key_last_four: 'sees',
        is_default: true,
        is_active: true,
      },
      { id: null, name: 'demo', kind: 'demo', source: 'built-in', has_api_key: false, is_default: false },
    ]);
    expect(text).not.toContain('environment-key');
    expect((await admin.get<ProviderDto>('/admin/providers/demo')).body.data.name).toBe('demo');
  });

  it('are created, read, changed and deleted, which is logged without the key', async () => {
    const made = await create({ context_tokens: 32_000 });
    expect(made).toMatchObject({
      id: expect.any(Number),
      source: 'database',
      has_api_key: true,
      api_key_last_four: 'wxyz',
      model: 'managed',
      context_tokens: 32_000,
      is_default: false,
      is_active: true,
      circuit: 'closed',
    });
    expect((await admin.get<ProviderDto>(`/admin/providers/${made.id}`)).body.data).toMatchObject({ name: made.name });
    const kept = await admin.put<ProviderDto>(`/admin/providers/${made.id}`, { model: 'other', context_tokens: null });
    expect(kept.body.data).toMatchObject({ model: 'other', context_tokens: null, api_key_last_four: 'wxyz' });
    const bare = await admin.put<ProviderDto>(`/admin/providers/${made.id}`, { api_key: null });
    expect(bare.body.data).toMatchObject({ has_api_key: false, api_key_last_four: null, model: 'other' });
    const short = await admin.put<ProviderDto>(`/admin/providers/${made.id}`, { api_key: 'short-key' });
    expect(short.body.data).toMatchObject({ has_api_key: true, api_key_last_four: null });
    const gone = await admin.delete(`/admin/providers/${made.id}`);
    expect(gone.body.data).toEqual({ id: made.id });
    expectFailure(await admin.get(`/admin/providers/${made.id}`), 404, 'PROVIDER_NOT_FOUND');
    const [change] = await admin.entriesOf(kept);
    expect(change).toMatchObject({
      action: 'provider.update',
      target_id: String(made.id),
      before: { model: 'managed', context_tokens: 32_000 },
      after: { model: 'other', context_tokens: null },
    });
    expect((await admin.entriesOf(bare))[0]).toMatchObject({
      before: { key_ends_with: 'wxyz' },
      after: { api_key: '[hidden]', key_ends_with: null },
    });
    expect((await admin.get('/admin/audit_logs?size=100')).text).not.toMatch(/hidden-key|short-key/);
  });

  it('store their keys encrypted, and show them nowhere', async () => {
    const { id } = await create();
    const row = await app.app.get(Database).repository(ManagedProviderEntity).findOneByOrFail({ id });
    expect(row.apiKey).toMatch(/^v1\./);
    expect(row.apiKey).not.toContain(KEY);
    const seen = await Promise.all([
      admin.get('/admin/providers?size=100'),
      admin.get(`/admin/providers/${id}`),
      admin.get('/admin/models'),
      call(`${app.origin}/metrics`),
      call(`${app.origin}/health`),
    ]);
    seen.forEach(({ status, text }) => expect([status, text.includes('hidden-key')]).toEqual([200, false]));
  });

  it.each([
    [{ name: 'a:b' }, 'name'],
    [{ base_url: null }, 'base_url'],
    [{ kind: 'anthropic', api_key: null }, 'api_key'],
    [{ is_default: true, is_active: false }, 'is_default'],
  ])('are refused when they break a rule (case %#)', async (overrides, field) => {
    const error = expectFailure(await admin.post('/admin/providers', fields(overrides)), 422, 'VALIDATION_ERROR');
    expect(error.details.field).toBe(field);
  });

  it('have unique names, in any case, even when two are created concurrently', async () => {
    const { name, id } = await create();
    expectFailure(
      await admin.post('/admin/providers', fields({ name: name.toUpperCase() })),
      409,
      'PROVIDER_NAME_TAKEN',
    );
    const other = await create();
    expectFailure(await admin.put(`/admin/providers/${other.id}`, { name }), 409, 'PROVIDER_NAME_TAKEN');
    expect((await admin.put(`/admin/providers/${id}`, { name: name.toUpperCase() })).status).toBe(200);
    const contested = newName();
    const answers = await Promise.all([1, 2, 3].map(() => admin.post('/admin/providers', fields({ name: contested }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('from the environment cannot be changed here', async () => {
    for (const name of ['default', 'demo']) {
      expectFailure(await admin.put(`/admin/providers/${name}`, { model: 'x' }), 409, 'PROVIDER_READ_ONLY');
      expectFailure(await admin.delete(`/admin/providers/${name}`), 409, 'PROVIDER_READ_ONLY');
    }
    expectFailure(await admin.put('/admin/providers/999999999', { model: 'x' }), 404, 'PROVIDER_NOT_FOUND');
    expectFailure(await admin.get('/admin/providers/nobody'), 400, 'VALIDATION_ERROR');
    const { id } = await create();
    expectFailure(await admin.put(`/admin/providers/${id}`, {}), 422, 'VALIDATION_ERROR');
  });

  it('answer the chats of agents that name them, immediately and with their own key', async () => {
    const { name } = await create();
    const agent = await createAgent({ provider: name });
    const client = await app.newClient();
    const { id } = await client.createChat({ agent_id: agent.id });
    const content = uniqueContent();
    expect((await client.send(id, content)).status).toBe(200);
    const [request] = await app.model.requests(content);
    expect(request).toMatchObject({ headers: { authorization: `Bearer ${KEY}` }, body: { model: 'managed' } });
    expectFailure(
      await admin.post('/agents', { name: newcomer().username, provider: newName() }),
      422,
      'VALIDATION_ERROR',
    );
  });

  it('can be neither renamed nor deleted while an agent uses them', async () => {
    const own = await create();
    const fallback = await create();
    const draft = await createAgent({ provider: own.name, status: 'draft' });
    const other = await createAgent({ fallback_models: [`${fallback.name}:some:model`] });
    for (const [provider, agent] of [
      [own, draft],
      [fallback, other],
    ] as const) {
      const path = `/admin/providers/${provider.id}`;
      const { details } = expectFailure(await admin.delete(path), 409, 'PROVIDER_IN_USE');
      expect(details).toEqual({ agents: [{ id: agent.id, name: agent.name }], count: 1 });
      expectFailure(await admin.put(path, { name: newName() }), 409, 'PROVIDER_IN_USE');
      expect((await admin.put(path, { model: 'changed' })).status).toBe(200);
      await admin.delete(`/agents/${agent.id}`);
      expect((await admin.delete(path)).status).toBe(200);
    }
  });

  it('cannot be deleted while an agent that uses them is created', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, name } = await create();
      const [made, deleted] = await Promise.all([
        admin.post('/agents', { name: newcomer().username, provider: name }),
        admin.delete(`/admin/providers/${id}`),
      ]);
      expect([
        [201, 409],
        [422, 200],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });

  it('can become the default in turn, and reset it to the environment', async () => {
    const asked = async (): Promise<string | undefined> => {
      const content = uniqueContent();
      await admin.post('/admin/models/test', { content });
      return (await app.model.requests(content))[0]?.headers.authorization;
    };
    const defaults = async (): Promise<string[]> =>
      (await admin.items<ProviderDto>('/admin/providers?size=100'))
        .filter(({ is_default }) => is_default)
        .map(({ name }) => name);
    const one = await create({ is_default: true });
    expect([await defaults(), await asked()]).toEqual([[one.name], `Bearer ${KEY}`]);
    const others = await Promise.all([1, 2, 3].map(() => create()));
    await Promise.all(others.map(({ id }) => admin.put(`/admin/providers/${id}`, { is_default: true })));
    const [winner, ...rest] = await defaults();
    expect([others.map(({ name }) => name).includes(winner ?? ''), rest]).toEqual([true, []]);
    const id = others.find(({ name }) => name === winner)?.id;
    const off = await admin.put<ProviderDto>(`/admin/providers/${id}`, { is_active: false });
    expect(off.body.data).toMatchObject({ is_active: false, is_default: false });
    expect([await defaults(), await asked()]).toEqual([['default'], 'Bearer environment-key-nobody-sees']);
  });

  it('may change while replies run, and the replies finish unchanged', async () => {
    const { id, name } = await create();
    const agent = await createAgent({ provider: name });
    const client = await app.newClient();
    const chat = await client.createChat({ agent_id: agent.id });
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hel' }, { hold: content }, { text: 'lo' }] });
    const stream = await client.stream(chat.id, content);
    await app.model.waitFor('received', { key: content });
    expect((await admin.put(`/admin/providers/${id}`, { api_key: 'another-key-of-it' })).status).toBe(200);
    await app.model.release(content);
    expect(await stream.plain()).toMatchObject({ text: 'Hello' });
    const next = uniqueContent();
    await client.send(chat.id, next);
    expect((await app.model.requests(next))[0]?.headers.authorization).toBe('Bearer another-key-of-it');
  });
});
