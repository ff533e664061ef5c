import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('budgets', () => {
  it.each<[string, object]>([
    ['scope', { scope: 'world' }],
    ['scope_id', { scope: 'user', scope_id: 1.5 }],
    ['scope_id', { scope: 'membership_type', scope_id: {} }],
    ['window', { window: 'year' }],
    ['window', { window: undefined }],
    ['limit', { limit: 5 }],
    ['limit', { limit: '-1' }],
    ['limit', { limit: '1e3' }],
    ['limit', { limit: '0.0000000000001' }],
    ['limit', { limit: '1234567890123' }],
    ['limit', { limit: undefined }],
    ['mode', { mode: 'medium' }],
    ['thresholds', { thresholds: [0] }],
    ['thresholds', { thresholds: [50, 50] }],
    ['thresholds', { thresholds: 'all' }],
    ['thresholds', { thresholds: [50.5] }],
    ['starts_at', { starts_at: 'yesterday' }],
    ['note', { note: 5 }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['each_user', { each_user: 'yes' }],
  ])('are refused with a wrong %s (%j)', async (field, fault) => {
    const body = { scope: 'service', window: 'month', limit: '1', ...fault };
    expect(await refuseBody('POST /admin/budgets', body)).toMatchObject({ field });
  });

  it.each(['limit=0', 'limit=101', 'offset=-1'])('are not listed with ?%s', async (query) => {
    expect(await refuseParameters(`GET /user/budget?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});

describe('prices', () => {
  it.each<[string, object, string, string]>([
    ['a number, which could be rounded', { input: 2.5 }, 'input', 'wrong_type'],
    ['seven digits behind the point', { input: '0.0000001' }, 'input', 'invalid_format'],
    ['an exponent', { output: '1e-3' }, 'output', 'invalid_format'],
    ['less than nothing', { output: '-1' }, 'output', 'invalid_format'],
    ['no price of the reply', { output: undefined }, 'output', 'required'],
    ['no model', { model: ' ' }, 'model', 'blank'],
    ['a wildcard in the middle', { model: 'a*b' }, 'model', 'invalid_format'],
    ['two tiers of one length', { tiers: [{ min_context: 5 }, { min_context: 5 }] }, 'tiers', 'duplicate'],
    ['a tier without a length', { tiers: [{ input: '1' }] }, 'tiers.0.min_context', 'required'],
    ['a price of a tier that is a number', { tiers: [{ min_context: 5, input: 1 }] }, 'tiers.0.input', 'wrong_type'],
    ['no time', { valid_from: 'tomorrow' }, 'valid_from', 'invalid_date'],
  ])('are refused with %s', async (_case, fault, field, reason) => {
    const body = { model: 'a-model', input: '2.5', output: '10', ...fault };
    expect(await refuseBody('POST /admin/prices', body)).toMatchObject({ field, reason });
  });

  it.each([
    ['no format', 'format', ''],
    ['an unknown one', 'format', 'format=openai'],
    ['a map that is none', 'map', 'format=models.dev&map=openai'],
    ['a rate of nothing', 'rate', 'format=models.dev&rate=0'],
  ])('are not imported with %s', async (_case, field, query) => {
    expect(await refuseParameters(`POST /admin/prices/import?${query}`)).toMatchObject({ field });
  });
});
