import { createHash, randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { ApiKeyDto, ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import { ApiKeyEntity } from '../../src/modules/api-key/keys/api-key.entity';
import { ApiKeyRetention } from '../../src/modules/api-key/keys/api-key.retention';
import { newKeyText } from '../../src/modules/api-key/keys/api-key.store';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey, mistyped } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

describe('API keys', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  let owner: TestAccount;

  beforeEach(async () => {
    owner = await createUser(app);
  });

  const mine = <Body = unknown>(path = '', options: { method?: string; body?: unknown } = {}) =>
    call<Body>(`${app.url}/user/api-keys${path}`, { token: owner.token, ...options });
  const chats = (key: string) => call(`${app.url}/chat`, { token: key });
  const stored = (id: number) => app.app.get(Database).repository(ApiKeyEntity).findOneByOrFail({ id });

  it('are shown once, and stored as a hash', async () => {
    const { key, ...shown } = await makeKey(app, owner.token, { name: 'Nightly', scopes: ['usage:read', 'chat:read'] });
    expect(key).toMatch(/^ck_[0-9A-Za-z]{49}$/);
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'Nightly',
      prefix: key.slice(0, 7),
      last_four: key.slice(-4),
      scopes: ['chat:read', 'usage:read'],
      requests_per_minute: null,
      tokens_per_day: null,
      created_by: owner.user.id,
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
      previous_until: null,
      identity_provider_id: null,
    });
    const list = await mine<ApiKeyDto[]>();
    expect(list.body).toEqual([shown]);
    expect(list.headers.get('x-total-count')).toBe('1');
    const row = await stored(shown.id);
    expect(row.secretHash).toBe(createHash('sha256').update(key).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(key.slice(8, -4));
  });

  it('open the routes in their scopes, with the scheme in any case', async () => {
    const { key } = await makeKey(app, owner.token);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await call(`${app.url}/chat`, { headers: { authorization: `${scheme} ${key}` } });
      expect(answer.status).toBe(200);
    }
    const refusal = await call(`${app.url}/chat`, { token: key, body: {} });
    expect(expectFailure(refusal, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: 'chat:write' });
    const closed = await call(`${app.url}/user/sessions`, { token: key });
    expect(expectFailure(closed, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: null });
    const login = await call(`${app.url}/auth/login`, { token: key, body: {} });
    expect(expectFailure(login, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: null });
  });

  it.each([
    ['mistyped', mistyped],
    ['unknown', newKeyText],
    ['cut', (key: string) => key.slice(0, -1)],
    ['longer', (key: string) => `${key}a`],
    ['of another case', (key: string) => key.replace('ck_', 'CK_')],
    ['incomplete', () => 'ck_'],
  ])('are refused when they are %s', async (_how, change) => {
    const { key } = await makeKey(app, owner.token);
    const sent = change(key);
    const answer = await chats(sent);
    expectFailure(answer, 401, sent.startsWith('ck_') ? 'API_KEY_INVALID' : 'TOKEN_INVALID');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('are changed with immediate effect', async () => {
    const { id, key } = await makeKey(app, owner.token);
    expect((await chats(key)).status).toBe(200);
    const changed = await mine<ApiKeyDto>(`/${id}`, {
      method: 'PUT',
      body: { name: 'Renamed', scopes: ['usage:read'], tokens_per_day: 7 },
    });
    expect(changed.body).toMatchObject({ id, name: 'Renamed', scopes: ['usage:read'], tokens_per_day: 7 });
    expectFailure(await chats(key), 403, 'SCOPE_REQUIRED');
    expect((await call(`${app.url}/user/quota`, { token: key })).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['an unknown scope', { scopes: ['chat:all'] }, 'scopes'],
    ['scopes of administrators', { scopes: ['chat:read', 'admin:read'] }, 'scopes'],
    ['the right to change agents', { scopes: ['agents:write'] }, 'scopes'],
    ['the right of a directory', { scopes: ['scim'] }, 'scopes'],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ])('are neither created nor changed with %s', async (_what, change, field) => {
    const body = { name: 'a key', scopes: ['chat:read'], ...change };
    expect(expectFailure(await mine('', { body }), 422, 'VALIDATION_ERROR').details).toMatchObject({ field });
    const { id } = await makeKey(app, owner.token);
    expectFailure(await mine(`/${id}`, { method: 'PUT', body: change }), 422, 'VALIDATION_ERROR');
    expect((await mine<ApiKeyDto[]>()).body).toHaveLength(1);
  });

  it('reject an empty change', async () => {
    const { id } = await makeKey(app, owner.token);
    const answer = await mine(`/${id}`, { method: 'PUT', body: {} });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ reason: 'nothing_to_change' });
  });

  it('belong to their owner only', async () => {
    const other = await createUser(app);
    const { id, key } = await makeKey(app, other.token);
    for (const [method, path, body] of [
      ['PUT', `/${id}`, { name: 'mine' }],
      ['POST', `/${id}/rotate`, {}],
      ['GET', `/${id}/usage`, undefined],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      expectFailure(await mine(path, { method, body }), 404, 'API_KEY_NOT_FOUND');
    }
    expect((await mine<ApiKeyDto[]>()).body).toEqual([]);
    expect((await chats(key)).status).toBe(200);
  });

  it('are limited to 50 a user, even in concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => mine('', { body: { name: 'one of many', scopes: ['chat:read'] } })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    answers.filter(({ status }) => status !== 201).forEach((answer) => expectFailure(answer, 409, 'TOO_MANY_API_KEYS'));
    const [first] = (await mine<ApiKeyDto[]>('?limit=100')).body;
    await mine(`/${first?.id}`, { method: 'DELETE' });
    expect((await mine('', { body: { name: 'another', scopes: ['chat:read'] } })).status).toBe(201);
  });

  it('end immediately when they are revoked, and cannot be revoked twice', async () => {
    const { id, key } = await makeKey(app, owner.token);
    expect((await chats(key)).status).toBe(200);
    const { status, body } = await mine<{ success: boolean }>(`/${id}`, { method: 'DELETE' });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, message: 'API key revoked.' },
    });
    expectFailure(await chats(key), 401, 'API_KEY_INVALID');
    expectFailure(await mine(`/${id}`, { method: 'DELETE' }), 404, 'API_KEY_NOT_FOUND');
    expectFailure(await mine(`/${id}/rotate`, { body: {} }), 404, 'API_KEY_NOT_FOUND');
    expect((await mine<ApiKeyDto[]>()).body).toEqual([]);
  });

  it('cannot create, change or revoke keys', async () => {
    const boss = await createAdmin(app);
    const { id, key } = await makeKey(app, boss.token, { scopes: ['admin:read', 'admin:write', 'usage:read'] });
    for (const [method, path] of [
      ['GET', '/user/api-keys'],
      ['POST', '/user/api-keys'],
      ['PUT', `/user/api-keys/${id}`],
      ['POST', `/user/api-keys/${id}/rotate`],
      ['DELETE', `/user/api-keys/${id}`],
      ['GET', '/admin/api-keys'],
      ['POST', `/admin/users/${boss.user.id}/api-keys`],
      ['DELETE', `/admin/api-keys/${id}`],
    ] as const) {
      const answer = await call(`${app.url}${path}`, { method, token: key, ...(method !== 'GET' && { body: {} }) });
      expect(expectFailure(answer, 403, 'SCOPE_REQUIRED').details).toEqual({ scope: null });
    }
  });

  it('show immediately that they were used, which is stored later, in one statement for all of them', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => makeKey(app, owner.token)));
    const lastUses = async () => (await mine<ApiKeyDto[]>()).body.map(({ last_used_at }) => last_used_at);
    expect(await lastUses()).toEqual([null, null, null]);
    await Promise.all(keys.flatMap(({ key }) => [chats(key), chats(key)]));
    expect(await lastUses()).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    const listed = await admin.items<ApiKeyDto>(`/admin/api-keys?user_id=${owner.user.id}`);
    expect(listed.map(({ last_used_at }) => last_used_at)).not.toContain(null);
    await app.app.get(ApiKeyRetention).keepUp();
    const stored = new Set(await lastUses());
    expect([...stored]).toEqual([expect.any(String)]);
    // Another instance stored a later use than this one knows.
    await Promise.all(keys.map(({ key }) => chats(key)));
    const lastUsedAt = new Date(Date.parse(String((await lastUses())[0])) + 10_000);
    const ofOwner = { userId: owner.user.id };
    await app.app.get(Database).write((manager) => manager.update(ApiKeyEntity, ofOwner, { lastUsedAt }));
    expect(new Set(await lastUses())).toEqual(new Set([lastUsedAt.toISOString()]));
  });

  it('are logged when they are created, changed and revoked, by any user', async () => {
    const made = await mine<ApiKeyWithTextDto>('', { body: { name: 'Audited', scopes: ['chat:read'] } });
    const { id, key } = made.body;
    await mine(`/${id}`, { method: 'PUT', body: { scopes: ['usage:read'] } });
    await mine(`/${id}/rotate`, { body: { grace_hours: 1 } });
    await admin.delete(`/admin/api-keys/${id}`);
    const entries = await admin.items<AuditLogDto>(`/admin/audit_logs?target=api_key:${id}`);
    expect(
      entries.map(({ actor_id, action, subject_id, api_key_id }) => ({ actor_id, action, subject_id, api_key_id })),
    ).toEqual(
      [
        [admin.id, 'api_key.revoke'],
        [owner.user.id, 'api_key.rotate'],
        [owner.user.id, 'api_key.update'],
        [owner.user.id, 'api_key.create'],
      ].map(([actor_id, action]) => ({ actor_id, action, subject_id: owner.user.id, api_key_id: null })),
    );
    expect(entries[3]?.after).toMatchObject({ name: 'Audited', scopes: ['chat:read'], last_four: key.slice(-4) });
    expect(entries[2]).toMatchObject({ before: { scopes: ['chat:read'] }, after: { scopes: ['usage:read'] } });
    expect(JSON.stringify(entries)).not.toContain(key.slice(8, -4));
  });

  it('identify the key with which an administrator acted', async () => {
    const { id, key } = await makeKey(app, admin.account.token, { scopes: ['admin:write'] });
    const answer = await call(`${app.url}/admin/users/${owner.user.id}`, {
      method: 'PUT',
      token: key,
      body: { note: randomUUID() },
    });
    expect(answer.status).toBe(200);
    expect(await admin.items<AuditLogDto>(`/admin/audit_logs?api_key_id=${id}`)).toEqual([
      expect.objectContaining({ actor_id: admin.id, api_key_id: id, action: 'user.update' }),
    ]);
  });
});
