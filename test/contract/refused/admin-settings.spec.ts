import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('PUT /admin/plans/{membership_type}', () => {
  it.each([
    [{ messages_per_day: -1 }, 'messages_per_day'],
    [{ messages_per_day: 1.5 }, 'messages_per_day'],
    [{ messages_per_day: '5' }, 'messages_per_day'],
    [{ messages_per_day: 1_000_000_001 }, 'messages_per_day'],
    [{ tokens_per_day: 2 ** 53 }, 'tokens_per_day'],
    [{ storage_bytes: -1 }, 'storage_bytes'],
    [{ storage_bytes: 1.5 }, 'storage_bytes'],
    [{ storage_bytes: '5' }, 'storage_bytes'],
    [{ embedding_tokens: -1 }, 'embedding_tokens'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('PUT /admin/plans/yearly', body)).toMatchObject({ field });
  });

  it.each(['gold', 'FREE', '0', 'constructor', '__proto__'])('knows no plan %s', async (name) => {
    expect(await refuseParameters(`GET /admin/plans/${name}`)).toMatchObject({ field: 'membership_type' });
    expect(await refuseParameters(`PUT /admin/plans/${name}`)).toMatchObject({ field: 'membership_type' });
  });
});

describe('PUT /admin/settings', () => {
  const DOT = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`;
  const html = `data:image/png;base64,${Buffer.from('<script>alert(1)</script>').toString('base64')}`;
  const other = DOT.replace('image/gif', 'image/png');
  const large = `data:image/gif;base64,${Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(50_000)]).toString('base64')}`;

  it.each([
    [{ registration_enabled: 'no' }, 'registration_enabled'],
    [{ registration_enabled: null }, 'registration_enabled'],
    [{ allowed_email_domains: 'example.com' }, 'allowed_email_domains'],
    [{ allowed_email_domains: [7] }, 'allowed_email_domains'],
    [{ allowed_email_domains: ['@example.com'] }, 'allowed_email_domains'],
    [{ allowed_email_domains: ['no domain'] }, 'allowed_email_domains'],
    [{ allowed_email_domains: ['a.com', 'A.com'] }, 'allowed_email_domains'],
    [{ allowed_email_domains: Array.from({ length: 101 }, (_, index) => `a${index}.com`) }, 'allowed_email_domains'],
    [{ mcp_allowed_hosts: ['*.com'] }, 'mcp_allowed_hosts'],
    [{ mcp_allowed_hosts: ['169.254.169.254'] }, 'mcp_allowed_hosts'],
    [{ mcp_allowed_hosts: ['0.0.0.0/0'] }, 'mcp_allowed_hosts'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('PUT /admin/settings', body)).toMatchObject({ field });
  });

  it.each([
    ['name', ''],
    ['name', '   '],
    ['name', 'x'.repeat(61)],
    ['logo', svg],
    ['logo', html],
    ['logo', other],
    ['logo', large],
    ['logo', 'https://example.com/logo.png'],
    ['colour', 'red'],
    ['colour', '#0a6e5c;--page:url(//x)'],
    ['terms_url', 'javascript:alert(1)'],
    ['terms_url', '//example.com'],
    ['terms_url', 'https://user:secret@example.com/terms'],
    ['terms_url', 'https://example.com@evil.example/terms'],
    ['name', '\u202e\u200b'],
    ['welcome', 'x'.repeat(1_001)],
    ['languages', []],
    ['languages', ['en', 'en']],
    ['languages', ['tlh']],
  ])('refuses a wrong %s (case %#)', async (field, value) => {
    expect(await refuseBody('PUT /admin/settings', { [field]: value })).toMatchObject({ field });
  });

  it.each([
    'nobody',
    '',
    '   ',
    'a@example.com, b@example.com',
    'Friends: a@example.com, b@example.com;',
    'Acme <a@example.com>\r\nBcc: eve@example.com',
    'Acme\n <a@example.com>',
    `${'x'.repeat(310)} <a@example.com>`,
    7,
    ['a@example.com'],
  ])('refuses the sender %j', async (mail_from) => {
    expect(await refuseBody('PUT /admin/settings', { mail_from })).toMatchObject({ field: 'mail_from' });
  });
});

describe('a test', () => {
  it.each([
    [{ provider: 7 }, 'provider'],
    [{ model: '' }, 'model'],
    [{ content: ' ' }, 'content'],
    [{ content: 'x'.repeat(4_001) }, 'content'],
  ])('of a model is refused with %j', async (body, field) => {
    expect(await refuseBody('POST /admin/models/test', body)).toMatchObject({ field });
  });

  it.each(['nobody', 'a@b@c.com', 'a@example.com, b@example.com', 7, null])(
    'of the mail server is not sent to %j',
    async (to) => {
      expect(await refuseBody('POST /admin/email/test', { to })).toMatchObject({ field: 'to' });
    },
  );

  it.each(['nobody', 'a@example.com, b@example.com', 7])('of the settings for mails is not sent to %j', async (to) => {
    expect(await refuseBody('POST /admin/settings/test_mail', { to })).toMatchObject({ field: 'to' });
  });
});

describe('POST /admin/providers', () => {
  const valid = { name: 'own', kind: 'openai-compatible', base_url: 'http://127.0.0.1/v1', api_key: 'key', model: 'm' };

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '1st' }, 'name'],
    [{ name: 'a:b' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ name: 'Default' }, 'name'],
    [{ name: 'demo' }, 'name'],
    [{ name: 'Anthropic' }, 'name'],
    [{ kind: 'skynet' }, 'kind'],
    [{ base_url: 'ftp://host/v1' }, 'base_url'],
    [{ base_url: 'http://user:password@host/v1' }, 'base_url'],
    [{ base_url: 7 }, 'base_url'],
    [{ api_key: 'two words' }, 'api_key'],
    [{ api_key: '' }, 'api_key'],
    [{ model: ' ' }, 'model'],
    [{ context_tokens: 10 }, 'context_tokens'],
    [{ is_default: null }, 'is_default'],
  ])('refuses %j', async (overrides, field) => {
    expect(await refuseBody('POST /admin/providers', { ...valid, ...overrides })).toMatchObject({ field });
  });
});
