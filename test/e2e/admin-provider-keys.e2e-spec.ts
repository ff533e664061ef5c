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
  ])('do not take their key to %s', async (_what, change) => {
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

  it('take it to another path of their host', async () => {
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
