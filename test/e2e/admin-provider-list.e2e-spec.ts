import type { Page } from '../../src/common/envelope/page.dto';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import { PROVIDER_FIELDS } from '../../src/modules/admin/providers/provider-query.dto';
import { csvFile } from '../support/csv';
import { expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';
import { createProvider, KEY, newName } from './provider-requests';

describe('the list of model providers', () => {
  const app = useChatApp();
  const admin = useAdmin(app);
  const create = (overrides?: object) => createProvider(app, admin, overrides);

  it('is searched, filtered and sorted, also as a file', async () => {
    const part = newName();
    const names = ['b', 'a', 'c'].map((letter) => `${part}-${letter}`);
    const [b = '', a = '', c = ''] = names;
    await create({ name: b, model: 'zebra' });
    await create({ name: a, is_active: false });
    await create({ name: c, kind: 'anthropic', base_url: null, model: 'antelope' });
    const list = async (query: string) => (await admin.get<Page<ProviderDto>>(`/admin/providers?${query}`)).body.data;
    const found = async (query: string) =>
      (await list(`q=${part.toUpperCase()}&${query}`)).items.map(({ name }) => name);
    expect(await found('')).toEqual([b, a, c]);
    expect(await found('sort=name')).toEqual([a, b, c]);
    expect(await found('sort=-name&size=2')).toEqual([c, b]);
    expect(await found('sort=created_at&size=1&page=3')).toEqual([c]);
    expect(await found('sort=kind')).toEqual([c, b, a]);
    expect(await found('kind=anthropic')).toEqual([c]);
    expect(await found('is_active=false')).toEqual([a]);
    expect((await list('q=antelope')).items.map(({ name }) => name)).toEqual([c]);
    expect((await list(`q=${part}&size=1`)).pagination.total).toBe(3);
    const { name, header, rows } = await csvFile(
      `${app.url}/admin/providers?format=csv&size=1&sort=-name&q=${part}`,
      admin.account.token,
    );
    expect(name).toBe('attachment; filename="providers.csv"');
    expect(header).toEqual(PROVIDER_FIELDS);
    expect(rows.map((row) => row.name)).toEqual([c, b, a]);
    expect(JSON.stringify(rows)).not.toContain(KEY);
    expectFailure(await admin.get('/admin/providers?sort=has_api_key'), 400, 'VALIDATION_ERROR');
  });
});
