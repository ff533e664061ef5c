import { refuseBody, refuseParameters } from '../../support/refused-requests';

const group = { group_id: 3, role: 'reader' };

describe('collections', () => {
  it.each<[string, object]>([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: ' \u200b ' }],
    ['name', { name: 'x'.repeat(257) }],
    ['name', { name: 5 }],
    ['description', { description: 'x'.repeat(1_001) }],
    ['expires_after_days', { expires_after_days: 0 }],
    ['expires_after_days', { expires_after_days: 366 }],
    ['expires_after_days', { expires_after_days: 1.5 }],
    ['access', { access: 'everyone' }],
    ['access', { access: null }],
    ['access', { access: [] }],
    ['access.everyone', { access: { everyone: 'editor' } }],
    ['access.groups', { access: { groups: 3 } }],
    ['access.groups', { access: { groups: [null] } }],
    ['access.groups', { access: { groups: [group, group] } }],
    ['access.groups.0.role', { access: { groups: [{ group_id: 3, role: 'owner' }] } }],
    ['access.groups.0.group_id', { access: { groups: [{ group_id: '3', role: 'reader' }] } }],
  ])('are refused with a wrong %s (%j)', async (field, fault) => {
    expect(await refuseBody('POST /knowledge', { name: 'Handbooks', ...fault })).toMatchObject({ field });
  });

  it.each<[string, object]>([
    ['owner_id', { owner_id: 0 }],
    ['owner_id', { owner_id: 'ada' }],
    ['trusted', { trusted: 'yes' }],
    ['reason', { reason: 'x' }],
    ['access.everyone', { access: { everyone: true } }],
  ])('are not changed by administrators with a wrong %s (%j)', async (field, fault) => {
    expect(await refuseBody('PUT /admin/knowledge/3', fault)).toMatchObject({ field });
  });
});

describe('lists of files and collections', () => {
  it.each<[string, string]>([
    ['GET /knowledge?role=admin', 'role'],
    ['GET /knowledge?size=101', 'size'],
    ['GET /knowledge/3/files?status=done', 'status'],
    ['GET /knowledge/3/files/7/text?start=-1', 'start'],
    ['GET /files?q[]=a', 'q'],
    ['GET /admin/knowledge?owner_id=me', 'owner_id'],
    ['GET /admin/knowledge/3/files/7/text?reason=x', 'reason'],
  ])('are refused for %s', async (route, field) => {
    expect(await refuseParameters(route)).toMatchObject({ field });
  });
});
