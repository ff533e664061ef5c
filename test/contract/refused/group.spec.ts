import { refuseBody } from '../../support/refused-requests';

describe('groups', () => {
  it.each([
    [{}],
    [{ name: '' }],
    [{ name: '   ' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 7 }],
    [{ name: 'a', description: 5 }],
  ])('are refused when a field breaks a rule (%j)', async (body) => {
    expect(['name', 'description']).toContain((await refuseBody('POST /admin/groups', body)).field);
  });

  it('have no member with a name instead of an id', async () => {
    expect(await refuseBody('POST /admin/groups/1/members', { user_id: 'x' })).toMatchObject({ field: 'user_id' });
  });
});
