import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('retention policies', () => {
  it.each<[string, object]>([
    ['scope', { scope: 'user' }],
    ['scope', { scope: undefined }],
    ['scope_id', { scope: 'group', scope_id: 1.5 }],
    ['kind', { kind: 'users' }],
    ['kind', { kind: undefined }],
    ['days', { days: undefined }],
    ['days', { days: 0 }],
    ['days', { days: 36_501 }],
    ['days', { days: 1.5 }],
    ['days', { days: '30' }],
    ['effective_at', { effective_at: 'tomorrow' }],
    ['note', { note: 'x'.repeat(501) }],
  ])('are refused with a wrong %s (%j)', async (field, fault) => {
    const body = { scope: 'service', kind: 'chats', days: 30, ...fault };
    expect(await refuseBody('POST /admin/retention', body)).toMatchObject({ field });
  });

  it.each<[string, object]>([
    ['days', { days: 0 }],
    ['effective_at', { effective_at: 5 }],
  ])('are not changed with a wrong %s (%j)', async (field, body) => {
    expect(await refuseBody('PUT /admin/retention/1', body)).toMatchObject({ field });
  });

  it.each<[string, unknown]>([
    ['policies', 'all'],
    ['policies.0.days', [{ scope: 'service', kind: 'chats', days: 'x' }]],
  ])('are not previewed with a wrong %s', async (field, policies) => {
    expect(await refuseBody('POST /admin/retention/preview', { policies })).toMatchObject({ field });
  });

  it.each(['scope=user', 'kind=users', 'size=0'])('are not listed with ?%s', async (query) => {
    expect(await refuseParameters(`GET /admin/retention?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});
