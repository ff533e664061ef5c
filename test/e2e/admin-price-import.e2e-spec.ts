// @databases mariadb: exact decimals
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { insertRow } from '../../src/database/statements/insert';
import type { PriceDto } from '../../src/modules/pricing/administration/price.dto';
import type { PriceImportDto } from '../../src/modules/pricing/import/price-import.dto';
import { MissingPriceEntity } from '../../src/modules/pricing/missing/missing-price.entity';
import { newcomer } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

/** A models.dev file about one provider. */
function modelsDev(provider: string, costs: Record<string, object | undefined>): object {
  const models = Object.entries(costs).map(([id, cost]) => [id, { id, name: id, limit: { context: 8_000 }, cost }]);
  return { [provider]: { id: provider, name: provider, models: Object.fromEntries(models) } };
}

describe('price lists', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const newName = (): string => `p${newcomer().username}`;

  async function load(query: string, file: object): Promise<PriceImportDto> {
    const answer = await admin.post<PriceImportDto>(`/admin/prices/import?${query}`, file);
    expect([answer.status, answer.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
    return answer.body.data;
  }

  const pricesOf = (provider: string): Promise<PriceDto[]> =>
    admin.items<PriceDto>(`/admin/prices?provider=${provider}&size=100`);

  it('from models.dev create rows, with their tiers from the next token on', async () => {
    const provider = newName();
    const tier = { input: 10, output: 45, cache_read: 1, tier: { type: 'context', size: 272_000 } };
    const over = { input: 9, output: 9 };
    const missing = { provider, model: 'plain', createdAt: new Date() };
    const database = app.app.get(Database);
    await database.write((manager) => insertRow(manager, MissingPriceEntity, missing));
    const report = await load(
      'format=models.dev',
      modelsDev(provider, {
        plain: { input: 0.15, output: 0.6 },
        tiered: { input: 5, output: 30, cache_read: 0.5, tiers: [tier], context_over_200k: over },
        older: { input: 1.25, output: 10, cache_write: 1.5, context_over_200k: { input: 2.5, output: 15 } },
        free: { input: 0, output: 0 },
        unpriced: undefined,
        'half-priced': { input: 1 },
        unknown: { input: null, output: 1 },
        'not-whole': { input: 0.00000015, output: 1 },
        huge: { input: 1_000_000_000_000, output: 1 },
        'a*b': { input: 1, output: 1 },
        ['m'.repeat(192)]: { input: 1, output: 1 },
      }),
    );
    // Missing prices are reported again.
    expect(await findRows(database.manager, MissingPriceEntity, {})).toEqual([]);
    expect(report).toMatchObject({ added: 4, changed: 0, unchanged: 0, skipped: 7, dry_run: false });
    expect(report.differences.flatMap(({ model, reason }) => (reason === null ? [] : [[model, reason]]))).toEqual([
      ['unpriced', 'no_token_price'],
      ['half-priced', 'no_token_price'],
      ['unknown', 'no_token_price'],
      ['not-whole', 'not_whole'],
      ['huge', 'not_whole'],
      ['a*b', 'invalid_name'],
      ['m'.repeat(192), 'invalid_name'],
    ]);
    expect(await pricesOf(provider)).toMatchObject([
      { model: 'free', input: '0', output: '0' },
      { model: 'older', cache_write: '1.5', tiers: [{ min_context: 200_001, input: '2.5', output: '15' }] },
      { model: 'plain', input: '0.15', output: '0.6', tiers: [] },
      { model: 'tiered', tiers: [{ min_context: 272_001, input: '10', output: '45', cached_input: '1' }] },
    ]);
  });

  it('from LiteLLM create rows for a million tokens', async () => {
    const provider = newName();
    const litellm_provider = provider;
    const file = {
      sample_spec: { litellm_provider: 'one of …', input_cost_per_token: 0, output_cost_per_token: 0 },
      [`${provider}/mini`]: { litellm_provider, input_cost_per_token: 1.5e-7, output_cost_per_token: 6e-7 },
      long: {
        litellm_provider,
        input_cost_per_token: 1.25e-6,
        output_cost_per_token: 1e-5,
        cache_read_input_token_cost: 1.25e-7,
        cache_creation_input_token_cost: 0.0000015625,
        cache_creation_input_token_cost_above_1hr: 2.5e-6,
        output_cost_per_reasoning_token: 2e-5,
        input_cost_per_image: 0.0048,
        input_cost_per_token_above_200k_tokens: 2.5e-6,
        output_cost_per_token_above_128k_tokens: 1.5e-5,
      },
      mini: { litellm_provider, input_cost_per_token: 2e-7, output_cost_per_token: 6e-7 },
      drawing: { litellm_provider, output_cost_per_image: 0.04 },
      'no-provider': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
      'not-whole': { litellm_provider, input_cost_per_token: 2.0000000000001e-7, output_cost_per_token: 1e-6 },
    };
    const report = await load('format=litellm', file);
    expect(report).toMatchObject({ added: 2, changed: 0, unchanged: 0, skipped: 3 });
    expect(report.differences).toContainEqual(expect.objectContaining({ model: 'mini', reason: 'duplicate' }));
    expect(await pricesOf(provider)).toMatchObject([
      {
        model: 'long',
        input: '1.25',
        output: '10',
        cached_input: '0.125',
        cache_write: '1.5625',
        cache_write_1h: '2.5',
        reasoning: '20',
        per_image: '0.0048',
        tiers: [
          { min_context: 128_001, output: '15' },
          { min_context: 200_001, input: '2.5' },
        ],
      },
      { model: 'mini', input: '0.15', output: '0.6' },
    ]);
    expect(await load('format=litellm', file)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
  });

  it('create one tier for duplicate sizes, and none for a size that no prompt has', async () => {
    const provider = newName();
    const sized = { litellm_provider: provider, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    const twice = { input_cost_per_token_above_200k_tokens: 2e-6, output_cost_per_token_above_200000_tokens: 3e-6 };
    expect(await load('format=litellm', { long: { ...sized, ...twice } })).toMatchObject({ added: 1 });
    const tierOf = (size: number | string, input: number, type = 'context') => ({ tier: { type, size }, input });
    const cost = { input: 1, output: 1, tiers: [tierOf(200_000, 2), tierOf(200_000, 3), tierOf(9, 9, 'hour')] };
    const oddly = (size: number | string) => ({ ...cost, tiers: [tierOf(size, 2)] });
    const file = modelsDev(provider, { wide: cost, below: oddly(-5), text: oddly('200000') });
    expect(await load('format=models.dev', file)).toMatchObject({ added: 1, skipped: 2 });
    expect((await pricesOf(provider)).map(({ tiers }) => tiers)).toEqual([
      [{ min_context: 200_001, input: '2', output: '3' }],
      [{ min_context: 200_001, input: '3' }],
    ]);
  });

  it('have a dry run, and create only changed rows', async () => {
    const provider = newName();
    const file = (output: number): object =>
      modelsDev(provider, { one: { input: 1, output }, two: { input: 1, output: 2 } });
    expect(await load('format=models.dev&dry_run=true', file(2))).toMatchObject({ added: 2, dry_run: true });
    expect(await pricesOf(provider)).toEqual([]);
    await load('format=models.dev', file(2));
    expect(await load('format=models.dev', file(3))).toEqual({
      added: 0,
      changed: 1,
      unchanged: 1,
      skipped: 0,
      rounded: 0,
      dry_run: false,
      differences: [
        {
          result: 'changed',
          provider,
          model: 'one',
          before: expect.objectContaining({ input: '1', output: '2' }),
          after: expect.objectContaining({ input: '1', output: '3' }),
          reason: null,
          rounded: false,
        },
      ],
    });
    expect(await load('format=models.dev', file(3))).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    expect((await pricesOf(provider)).map(({ model, output }) => [model, output])).toEqual([
      ['one', '2'],
      ['one', '3'],
      ['two', '2'],
    ]);
    // A price that is not in effect does not count as the current one.
    const [, , two] = await pricesOf(provider);
    await admin.delete(`/admin/prices/${two?.id}`);
    const later = { provider, model: 'two', input: '1', output: '2', valid_from: '2999-01-01T00:00:00Z' };
    await admin.post('/admin/prices', later);
    expect(await load('format=models.dev', file(3))).toMatchObject({ added: 1, unchanged: 1 });
  });

  it('map providers to their names here', async () => {
    const [theirs, ours, others] = [newName(), newName(), newName()];
    const file = {
      ...modelsDev(theirs, { m: { input: 1, output: 1 } }),
      ...modelsDev(others, { n: { input: 1, output: 1 } }),
    };
    expect(await load(`format=models.dev&map=${theirs}:${ours},*:-`, file)).toMatchObject({ added: 1, skipped: 1 });
    expect(await pricesOf(ours)).toMatchObject([{ model: 'm' }]);
    expect(await pricesOf(others)).toEqual([]);
    const long = await load(`format=models.dev&map=${theirs}:${'x'.repeat(2_000)},*:-`, file);
    expect(long).toMatchObject({ added: 0, skipped: 2, differences: [{ model: 'm', reason: 'invalid_name' }] });
    const any = modelsDev(theirs, { [newName()]: { input: 1, output: 1 } });
    expect((await load(`format=models.dev&map=${theirs}:`, any)).differences).toMatchObject([{ provider: null }]);
  });

  it('in another currency are converted, and rounded half up to a millionth', async () => {
    const provider = newName();
    const file = modelsDev(provider, { m: { input: 0.15, output: 2 }, odd: { input: 0.55, output: 1 } });
    expect(await load('format=models.dev&rate=0.92345', file)).toMatchObject({
      added: 2,
      skipped: 0,
      rounded: 2,
      differences: [{ rounded: true }, { rounded: true }],
    });
    expect(await pricesOf(provider)).toMatchObject([
      { model: 'm', input: '0.138518', output: '1.8469' },
      { model: 'odd', input: '0.507898', output: '0.92345' },
    ]);
  });

  it.each<[string, number, string, object]>([
    ['no format', 400, '', {}],
    ['a file in which there is no model', 422, 'format=models.dev', { nothing: 1 }],
    ['a list', 422, 'format=litellm', []],
  ])('are refused with %s', async (_case, status, query, file) => {
    expectFailure(await admin.post(`/admin/prices/import?${query}`, file), status, 'VALIDATION_ERROR');
  });

  it('may be as large as those that others publish', async () => {
    const provider = newName();
    const cost = { input: 1, output: 2, note: 'x'.repeat(3_000) };
    const costs = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`model-${index}`, cost]));
    expect(await load('format=models.dev', modelsDev(provider, costs))).toMatchObject({ added: 5_000 });
    const larger = { ...modelsDev(provider, costs), more: 'x'.repeat(6_000_000) };
    expectFailure(await admin.post('/admin/prices/import?format=models.dev', larger), 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('price lists in US dollars', () => {
  const app = useTestApp({ COST_CURRENCY: 'EUR' });
  const admin = useAdmin(app);

  it('need an exchange rate if another currency is used', async () => {
    const file = modelsDev('p', { m: { input: 1, output: 1 } });
    const refused = await admin.post('/admin/prices/import?format=models.dev', file);
    expect(expectFailure(refused, 422, 'VALIDATION_ERROR').details).toMatchObject({
      field: 'rate',
      reason: 'required',
    });
    const taken = await admin.post('/admin/prices/import?format=models.dev&rate=0.92', file);
    expect(taken.body).toMatchObject({ data: { added: 1 } });
    expect(await admin.items<PriceDto>('/admin/prices')).toMatchObject([{ input: '0.92', currency: 'EUR' }]);
  });
});
