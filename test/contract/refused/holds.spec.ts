import { refuseBody } from '../../support/refused-requests';

describe('legal holds', () => {
  it.each<[string, object]>([
    ['scope', { scope: 'agent' }],
    ['scope_id', { scope_id: '7' }],
    ['scope_id', { scope_id: 0 }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(201) }],
    ['reason', { reason: undefined }],
    ['reason', { reason: 'x'.repeat(2_001) }],
    ['notify', { notify: 'yes' }],
    ['until', { until: 'tomorrow' }],
  ])('are refused with a wrong %s (%j)', async (field, fault) => {
    const body = { scope: 'user', scope_id: 7, name: 'A case', reason: 'Court order.', ...fault };
    expect(await refuseBody('POST /admin/holds', body)).toMatchObject({ field });
  });

  it('are not released without a reason', async () => {
    expect(await refuseBody('POST /admin/holds/1/release', {})).toMatchObject({ field: 'reason' });
  });
});
