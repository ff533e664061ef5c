import { refuseParameters } from '../../support/refused-requests';

describe('GET /admin/audit_logs', () => {
  it.each([
    'actor_id=0',
    'actor_id=x',
    'target=user:',
    'target=USER',
    'target=user:1:2&target=plan',
    'action=%27',
    'from=2026-02-30',
    'from=2026-03-02T10:00:00',
    'to=2026-02-30T10:00:00Z',
    'target=0',
    'target=42:user',
    'page=0',
    'size=101',
  ])('refuses ?%s', async (query) => {
    expect((await refuseParameters(`GET /admin/audit_logs?${query}`)).errors).toHaveLength(1);
  });
});

describe('GET /admin/chats/{id}', () => {
  it.each(['', '?reason=', '?reason=ab', '?reason=%20%20%20%20', `?reason=${'x'.repeat(501)}`, '?reason=abc&before=0'])(
    'refuses %j',
    async (query) => {
      expect(['reason', 'before']).toContain((await refuseParameters(`GET /admin/chats/1${query}`)).field);
    },
  );
});

describe('lists of administrators', () => {
  it.each([
    '/admin/chats?user_id=0',
    '/admin/chats?agent_id=x',
    '/admin/chats?size=101',
    '/admin/feedback?rating=love',
    '/admin/feedback?agent_id=-1',
    '/admin/feedback?from=2026-02-30',
    '/admin/feedback?from=2026-02-03T10:00:00',
    '/admin/api-keys?sort=secret_hash',
    '/admin/api-keys?format=xml',
    '/admin/webhooks?sort=secret',
    '/admin/webhooks?is_active=maybe',
    '/admin/webhooks?scope=mine',
    '/admin/chats?sort=title',
    '/admin/feedback?sort=comment',
    '/admin/audit_logs?sort=--id',
    '/agents?sort=system_prompt',
    '/agents?format=pdf',
  ])('refuse %s', async (path) => {
    expect((await refuseParameters(`GET ${path}`)).errors).toHaveLength(1);
  });
});

describe('GET /admin/replies', () => {
  it.each([
    'after=0',
    'after=x',
    'after=2&before=1',
    'after=1&sort=failed_at',
    'before=1&sort=-failed_at',
    'status=completed',
    'user_id=x',
    'user_id=0',
    'sort=model',
    'page=0',
  ])('refuses ?%s', async (query) => {
    expect((await refuseParameters(`GET /admin/replies?${query}`)).errors).toHaveLength(1);
  });

  it.each([0, 721])('refuses a record of models of %s hours', async (hours) => {
    expect(await refuseParameters(`GET /admin/replies/models?hours=${hours}`)).toMatchObject({ field: 'hours' });
  });
});

describe('GET /admin/stats/usage', () => {
  it.each([
    'from=2026-02-29',
    'from=2026-02-29T00:00:00Z',
    'from=2026-02-28T00:00:00',
    'from=2026-02-28T24:30:00Z',
    'from=2026-02-28T10:00:00+01:00',
    'from=2026-13-01',
    'from=2026-1-1',
    'from=yesterday',
    'to=20260101',
    'from=2026-01-01&from=2026-01-02&to=2026-01-03',
    'group_by=password',
    'group_by=day&group_by=user',
    'format=xml',
    'page=0',
    'size=101',
  ])('refuses ?%s', async (query) => {
    expect((await refuseParameters(`GET /admin/stats/usage?${query}`)).errors).toHaveLength(1);
  });

  it.each([
    'sort=name',
    'sort=tokens&sort=-tokens',
    'user_id=0',
    'user_id=ada',
    'agent_id=1.5',
    'api_key_id=2147483648',
    'model=',
    `model=${'m'.repeat(192)}`,
  ])('refuses the filter ?%s', async (query) => {
    expect(await refuseParameters(`GET /admin/stats/usage?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});
