import { Database } from '../../src/database/database';
import { ManagedProviderEntity } from '../../src/integrations/llm/providers/managed-provider.entity';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import { expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';
import { createProvider } from './provider-requests';

describe('the stored keys of model providers', () => {
  const app = useChatApp();
  const admin = useAdmin(app);
  const create = (overrides: object = {}) => createProvider(app, admin, overrides);

  it.each([
    ['another host', { base_url: 'http://127.0.0.1:9/v1' }],
    ['another scheme', (url: string) => ({ base_url: url.replace('http:', 'https:') })],
    ['another kind', { kind: 'anthropic' }],
    ['the own address of another kind', { kind: 'anthropic', base_url: null }],
  ])('are not sent to %s', async (_what, change) => {
    const made = await create();
    const changes = typeof change === 'function' ? change(String(made.base_url)) : change;
    const refused = await admin.put(`/admin/providers/${made.id}`, changes);
    expect(expectFailure(refused, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'api_key' });
    expect((await admin.get(`/admin/providers/${made.id}`)).body.data).toMatchObject({
      kind: made.kind,
      base_url: made.base_url,
    });
    const moved = await admin.put<ProviderDto>(`/admin/providers/${made.id}`, {
      ...changes,
      api_key: 'its-own-key-7890',
    });
    expect(moved.body.data).toMatchObject({ ...changes, api_key_last_four: '7890' });
  });

  it('are not sent elsewhere while they cannot be decrypted, because they may be readable again', async () => {
    const made = await create();
    const rows = app.app.get(Database);
    await rows.write((manager) => manager.update(ManagedProviderEntity, { id: made.id }, { apiKey: 'v1.unreadable' }));
    const moved = await admin.put(`/admin/providers/${made.id}`, { base_url: 'http://127.0.0.1:9/v1' });
    expect(expectFailure(moved, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'api_key' });
  });

  it('do not follow a concurrent change of the host', async () => {
    const made = await create();
    const path = `/admin/providers/${made.id}`;
    const elsewhere = 'http://127.0.0.1:9/v1';
    const answers = await Promise.all([
      admin.put(path, { base_url: elsewhere }),
      admin.put(path, { base_url: `${made.base_url}/` }),
      admin.put(path, { base_url: elsewhere, api_key: 'its-own-key-7890' }),
      admin.put(path, { base_url: elsewhere }),
    ]);
    expect(answers[2].status).toBe(200);
    const { data } = (await admin.get<ProviderDto>(path)).body;
    // The key that is stored now was entered for the host that is stored now.
    expect([
      [elsewhere, '7890'],
      [made.base_url, 'wxyz'],
    ]).toContainEqual([data.base_url, data.api_key_last_four]);
  });

  it('stay with the same host in another notation, and are dropped if none is required', async () => {
    const made = await create({ kind: 'anthropic', base_url: null });
    const path = `/admin/providers/${made.id}`;
    for (const base_url of ['https://API.Anthropic.com', 'https://api.anthropic.com:443/v1', null]) {
      expect((await admin.put<ProviderDto>(path, { base_url })).body.data).toMatchObject({
        base_url,
        has_api_key: true,
      });
    }
    const refused = await admin.put(path, { base_url: 'https://api.anthropic.com.example.net' });
    expect(expectFailure(refused, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'api_key' });
    expectFailure(await admin.put(path, { kind: 'demo' }), 422, 'VALIDATION_ERROR');
    const dropped = await admin.put<ProviderDto>(path, { kind: 'demo', api_key: null });
    expect(dropped.body.data).toMatchObject({ kind: 'demo', has_api_key: false });
  });

  it('stay for another path on the same host', async () => {
    const made = await create();
    const { body } = await admin.put<ProviderDto>(`/admin/providers/${made.id}`, { base_url: `${made.base_url}/v2` });
    expect(body.data).toMatchObject({ base_url: `${made.base_url}/v2`, has_api_key: true });
    const bare = await create({ api_key: null });
    const elsewhere = await admin.put<ProviderDto>(`/admin/providers/${bare.id}`, {
      base_url: 'http://127.0.0.1:9/v1',
    });
    expect(elsewhere.body.data).toMatchObject({ base_url: 'http://127.0.0.1:9/v1' });
  });
});
