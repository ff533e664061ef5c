import { newcomer } from '../../support/accounts';
import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('POST /admin/users', () => {
  it.each([
    ['email', { email: 'no address' }],
    ['username', { username: 'a b' }],
    ['password', { password: 'password' }],
    ['user_type', { user_type: 'root' }],
    ['membership_type', { membership_type: 'gold' }],
    ['membership_expires_at', { membership_type: 'monthly', membership_expires_at: '2026-02-30T00:00:00Z' }],
    ['membership_expires_at', { membership_type: 'monthly', membership_expires_at: '2026-02-01' }],
    ['quota_messages', { quota_messages: -1 }],
    ['quota_messages', { quota_messages: 1.5 }],
    ['quota_tokens', { quota_tokens: '7' }],
    ['quota_tokens', { quota_tokens: 2 ** 53 }],
    ['quota_storage', { quota_storage: 1.5 }],
    ['quota_embedding_tokens', { quota_embedding_tokens: -1 }],
    ['note', { note: 'x'.repeat(10_001) }],
  ])('refuses an invalid %s (%j)', async (field, fields) => {
    expect(await refuseBody('POST /admin/users', { ...newcomer(), ...fields })).toMatchObject({ field });
  });
});

describe('POST /admin/users/{id}/ban', () => {
  it.each([
    [{}, 'reason'],
    [{ reason: '  ' }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ reason: 7 }, 'reason'],
    [{ reason: 'x', until: 'tomorrow' }, 'until'],
    [{ reason: 'x', until: '2099-02-30T00:00:00Z' }, 'until'],
    [{ reason: 'x', until: '9999-12-31T00:00:00Z' }, 'until'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('POST /admin/users/1/ban', body)).toMatchObject({ field });
  });
});

describe('GET /admin/users', () => {
  it.each([
    'sort=password_hash',
    'sort=-',
    'sort=id,username',
    'sort=ID',
    'sort=id&sort=email',
    'user_type=root',
    'membership_type=gold',
    'status=deleted',
    'q=a&q=b',
    'q=%00',
    'page=0',
    'page=x',
    'size=0',
    'size=101',
    'size=1e1',
  ])('refuses ?%s', async (query) => {
    expect(await refuseParameters(`GET /admin/users?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});
