import { refuseBody } from '../../support/refused-requests';

describe('API keys', () => {
  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(65) }, 'name'],
    ['no scopes', { scopes: undefined }, 'scopes'],
    ['an empty list of scopes', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['chat:all'] }, 'scopes'],
    ['a scope twice', { scopes: ['chat:read', 'chat:read'] }, 'scopes'],
    ['scopes that are no list', { scopes: 'chat:read' }, 'scopes'],
    ['an end that is no time', { expires_at: 'tomorrow' }, 'expires_at'],
    ['a limit of zero', { requests_per_minute: 0 }, 'requests_per_minute'],
    ['a limit with a fraction', { tokens_per_day: 1.5 }, 'tokens_per_day'],
  ])('are not created with %s', async (_what, change, field) => {
    const body = { name: 'a key', scopes: ['chat:read'], ...change };
    expect(await refuseBody('POST /user/api-keys', body)).toMatchObject({ field });
    if (Object.values(change).every((value) => value !== undefined)) {
      expect(await refuseBody('PUT /user/api-keys/1', change)).toMatchObject({ field });
    }
  });

  it.each([-1, 169, 1.5, '24', null])('accept no grace of %s hours', async (grace_hours) => {
    expect(await refuseBody('POST /user/api-keys/1/rotate', { grace_hours })).toMatchObject({ field: 'grace_hours' });
  });
});
