import { refuseBody } from '../../support/refused-requests';

describe('POST /admin/identity_providers', () => {
  it.each([
    ['issuer: invalid_url', { issuer: 'no address' }],
    ['issuer: invalid_url', { issuer: 'https://login.example.com?x=1' }],
    ['issuer: invalid_url', { issuer: 'https://a:b@login.example.com' }],
    ['slug: invalid_format', { slug: 'Upper' }],
    ['slug: invalid_format', { slug: 'x'.repeat(33) }],
    ['scopes: invalid_format', { scopes: 'email profile' }],
    ['jit: not_allowed', { jit: 'everybody' }],
    ['allowed_domains: invalid_format', { allowed_domains: ['@example.com'] }],
    ['mappings.0.user_type: not_allowed', { mappings: [{ value: 'x', user_type: 'service' }] }],
    ['accept_tokens.authorized_parties: too_few_items', { accept_tokens: { audience: 'x', authorized_parties: [] } }],
    ['session_max_age: too_small', { session_max_age: 3_599 }],
    ['client_secret: invalid_format', { client_secret: 'a\nsecret' }],
    ['claims: wrong_type', { claims: [] }],
  ])('refuses %s (%j)', async (fault, fields) => {
    const body = {
      slug: 'another',
      name: 'Another',
      issuer: 'https://another.example.com',
      client_id: 'chat',
      ...fields,
    };
    const { field, reason } = await refuseBody('POST /admin/identity_providers', body);
    expect(`${field}: ${reason}`).toBe(fault);
  });
});
