import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { insertRow } from '../../src/database/statements/insert';
import type { PriceDto } from '../../src/modules/pricing/administration/price.dto';
import { MissingPriceEntity } from '../../src/modules/pricing/missing/missing-price.entity';
import { newcomer } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

const PRICE = { input: '2.5', output: '10' };

describe('prices', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const newModel = (): string => `model-${newcomer().username}`;

  async function add(body: object): Promise<PriceDto> {
    const answer = await admin.post<PriceDto>('/admin/prices', { model: newModel(), ...PRICE, ...body });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    return answer.body.data;
  }

  it('are added, and returned as exact decimals', async () => {
    const model = newModel();
    const made = await add({
      model: `${model}*`,
      provider: 'openai',
      valid_from: '2026-10-01T02:00:00+02:00',
      input: '1.250000',
      cached_input: '0.125',
      output: '999999999999.999999',
      per_request: '0.000001',
      tiers: [
        { min_context: 272_001, input: '2.50', output: null },
        { min_context: 200_001, output: '15' },
      ],
    });
    expect(made).toEqual({
      id: expect.any(Number),
      provider: 'openai',
      model: `${model}*`,
      valid_from: '2026-10-01T00:00:00.000Z',
      input: '1.25',
      cached_input: '0.125',
      cache_write: null,
      cache_write_1h: null,
      output: '999999999999.999999',
      reasoning: null,
      per_request: '0.000001',
      per_image: null,
      per_web_search: null,
      tiers: [
        { min_context: 200_001, output: '15' },
        { min_context: 272_001, input: '2.5' },
      ],
      currency: 'USD',
      in_use: false,
      created_at: expect.any(String),
    });
    expect(await admin.items<PriceDto>(`/admin/prices?q=${model.toUpperCase()}`)).toEqual([made]);
    expect(await admin.items<PriceDto>(`/admin/prices?q=${model}&provider=azure`)).toEqual([]);
  });

  it('are valid immediately by default', async () => {
    const before = Date.now();
    const { valid_from, created_at } = await add({ provider: null });
    expect(valid_from).toBe(created_at);
    expect(Date.parse(valid_from)).toBeGreaterThanOrEqual(before);
  });

  it('are refused with a wrong number', async () => {
    const answer = await admin.post('/admin/prices', { model: newModel(), ...PRICE, output: '1e-3' });
    const { details } = expectFailure(answer, 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'output', reason: 'invalid_format' });
  });

  it('cannot be changed', async () => {
    const { id } = await add({});
    const answer = await admin.put(`/admin/prices/${id}`, { input: '1' });
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('DELETE, OPTIONS');
  });

  it('are deleted once, unless a cost was calculated with them', async () => {
    const { id, model } = await add({});
    expect((await admin.delete(`/admin/prices/${id}`)).body).toMatchObject({ success: true, data: { id } });
    expectFailure(await admin.delete(`/admin/prices/${id}`), 404, 'PRICE_NOT_FOUND');
    expect(await admin.items<PriceDto>(`/admin/prices?q=${model}`)).toEqual([]);
  });

  it('are reported as missing again when one is deleted', async () => {
    const { id, model } = await add({});
    const database = app.app.get(Database);
    const missing = { provider: 'somebody', model, createdAt: new Date() };
    await database.write((manager) => insertRow(manager, MissingPriceEntity, missing));
    expect((await admin.delete(`/admin/prices/${id}`)).status).toBe(200);
    expect(await findRows(database.manager, MissingPriceEntity, { model })).toEqual([]);
  });

  it('from the release are offered, and never applied', async () => {
    const { data } = (await admin.get<{ as_of: string; file: object }>('/admin/prices/bundled')).body;
    expect(data).toMatchObject({ as_of: '2026-09-23', format: 'models.dev' });
    const tried = await admin.post(
      '/admin/prices/import?format=models.dev&dry_run=true&map=openai:unheard-of,*:-',
      data.file,
    );
    expect(tried.body.data).toMatchObject({ added: expect.any(Number), changed: 0, unchanged: 0, dry_run: true });
    expect(await admin.items('/admin/prices?provider=unheard-of')).toEqual([]);
  });

  it('are for administrators only', async () => {
    const answer = await call(`${app.url}/admin/prices`, { body: { model: 'm', ...PRICE } });
    expectFailure(answer, 401, 'UNAUTHORIZED');
  });
});
