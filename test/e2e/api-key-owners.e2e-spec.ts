import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { QueuedMailEntity } from '../../src/integrations/mail/queued-mail.entity';
import type { AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import type { ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import { ApiKeyEntity } from '../../src/modules/api-key/keys/api-key.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { SessionEntity } from '../../src/modules/user/sessions/session.entity';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

const app = useTestApp();
const admin = useAdmin(app);
const events: DomainEvent[] = [];

const chats = (key: string) => call(`${app.url}/chat`, { token: key });
const rows = () => app.app.get(Database);

beforeAll(() => {
  app.app.get(DomainEvents).on('api_key.*', (event) => {
    events.push(event);
    return Promise.resolve();
  });
});

describe('an API key', () => {
  let owner: TestAccount;

  beforeEach(async () => {
    owner = await createUser(app);
  });

  const eventsOf = (userId: number) => events.filter((event) => event.userId === userId);

  it("never exceeds its owner's rights: a ban takes effect on the next request, and so does its end", async () => {
    const { key } = await makeKey(app, owner.token);
    expect((await chats(key)).status).toBe(200);
    await admin.post(`/admin/users/${owner.user.id}/ban`, { reason: 'Sends spam.' });
    expectFailure(await chats(key), 403, 'ACCOUNT_BANNED');
    await admin.post(`/admin/users/${owner.user.id}/unban`);
    expect((await chats(key)).status).toBe(200);
  });

  it('has the plan of its owner', async () => {
    const { key } = await makeKey(app, owner.token, { scopes: ['usage:read'] });
    const quota = async () =>
      (await call<{ messages: { limit: number } }>(`${app.url}/user/quota`, { token: key })).body.messages.limit;
    const before = await quota();
    await admin.put(`/admin/users/${owner.user.id}`, { quota_messages: 7 });
    expect([before, await quota()]).toEqual([100_000, 7]);
  });

  it('stays valid when its owner logs out', async () => {
    const { key } = await makeKey(app, owner.token);
    await call(`${app.url}/auth/logout`, { method: 'POST', token: owner.token });
    expect((await chats(key)).status).toBe(200);
  });

  it('is in the export, without any credential', async () => {
    const { key, ...shown } = await makeKey(app, owner.token, { name: 'Exported' });
    const { body: gone } = await call<ApiKeyWithTextDto>(`${app.url}/user/api-keys`, {
      token: owner.token,
      body: { name: 'Gone', scopes: ['chat:read'] },
    });
    await call(`${app.url}/user/api-keys/${gone.id}`, { method: 'DELETE', token: owner.token });
    const { body, text } = await call<{ api_keys: object[] }>(`${app.url}/user/export`, { token: owner.token });
    expect(body.api_keys).toEqual([
      { ...shown, revoked_at: null },
      expect.objectContaining({ id: gone.id, name: 'Gone', revoked_at: expect.any(String) }),
    ]);
    expect(text).not.toContain(key.slice(8, -4));
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('is deleted when the account is erased', async () => {
    await makeKey(app, owner.token);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(owner.user.id);
    }
    expect(await rows().repository(ApiKeyEntity).countBy({ userId: owner.user.id })).toBe(0);
  });

  it('sends events when it is created and revoked', async () => {
    const { id } = await makeKey(app, owner.token, { name: 'Told', scopes: ['usage:read'] });
    await admin.delete(`/admin/api-keys/${id}`);
    const told = { user_id: owner.user.id, api_key_id: id, name: 'Told', scopes: ['usage:read'], expires_at: null };
    expect(eventsOf(owner.user.id).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'api_key.created', data: { ...told, created_by: owner.user.id } },
      { type: 'api_key.revoked', data: { ...told, revoked_by: admin.id } },
    ]);
  });

  it('is listed and revoked by administrators', async () => {
    const { id, key, ...shown } = await makeKey(app, owner.token, { name: 'Seen' });
    const [seen] = await admin.items<AdminApiKeyDto>(`/admin/api-keys?user_id=${owner.user.id}`);
    expect(seen).toEqual({
      id,
      ...shown,
      user_id: owner.user.id,
      username: owner.user.username,
      status: 'active',
      revoked_at: null,
    });
    expect((await chats(key)).status).toBe(200);
    const answer = await admin.delete(`/admin/api-keys/${id}`);
    expect(answer.body.data).toEqual({ id, revoked_at: expect.any(String) });
    expectFailure(await chats(key), 401, 'API_KEY_INVALID');
    expectFailure(await admin.delete(`/admin/api-keys/${id}`), 404, 'API_KEY_NOT_FOUND');
    const ofStatus = async (status: string) =>
      (await admin.items<AdminApiKeyDto>(`/admin/api-keys?user_id=${owner.user.id}&status=${status}`)).map(
        (one) => one.id,
      );
    expect([await ofStatus('active'), await ofStatus('expired'), await ofStatus('revoked')]).toEqual([[], [], [id]]);
    expect((await admin.items<AdminApiKeyDto>('/admin/api-keys')).map((one) => one.id)).toContain(id);
  });

  it('of a user is created by no other user', async () => {
    const body = { name: 'not mine', scopes: ['chat:read'] };
    expectFailure(await admin.post(`/admin/users/${owner.user.id}/api-keys`, body), 409, 'NOT_SERVICE_ACCOUNT');
    expectFailure(await admin.post(`/admin/users/${admin.id}/api-keys`, body), 409, 'NOT_SERVICE_ACCOUNT');
    expectFailure(await admin.post('/admin/users/999999999/api-keys', body), 404, 'USER_NOT_FOUND');
  });

  it('carries a ticket for a stream, which ends with the key', async () => {
    const { id, key } = await makeKey(app, owner.token, { scopes: ['chat:read', 'chat:write'] });
    const { body: chat } = await call<{ id: number }>(`${app.url}/chat`, { token: key, body: {} });
    const ticket = async () =>
      (await call<{ ticket: string }>(`${app.url}/chat/${chat.id}/stream-ticket`, { token: key, method: 'POST' })).body
        .ticket;
    const [first, second] = [await ticket(), await ticket()];
    expect((await call(`${app.url}/chat/${chat.id}/stream?ticket=${first}`)).status).toBe(204);
    await admin.delete(`/admin/api-keys/${id}`);
    expectFailure(await call(`${app.url}/chat/${chat.id}/stream?ticket=${second}`), 401, 'API_KEY_INVALID');
  });
});

describe('a service account', () => {
  const make = async (fields: object = {}) => {
    const body = { username: newcomer().username, user_type: 'service', ...fields };
    return (await admin.post<AdminUserDto>('/admin/users', body)).body.data;
  };
  const keyOf = async (id: number, fields: object = {}) => {
    const body = { name: 'Back end', scopes: ['chat:read', 'chat:write', 'usage:read'], ...fields };
    return admin.post<ApiKeyWithTextDto>(`/admin/users/${id}/api-keys`, body);
  };

  it('uses the keys that administrators create for it, under its own plan', async () => {
    const { id, user_type, email } = await make({ quota_messages: 1 });
    expect({ user_type, email }).toEqual({ user_type: 'service', email: expect.stringMatching(/@service\.invalid$/) });
    const answer = await keyOf(id);
    expect(answer.status).toBe(201);
    const { key, created_by } = answer.body.data;
    expect(created_by).toBe(admin.id);
    const { body: chat } = await call<{ id: number }>(`${app.url}/chat`, { token: key, body: {} });
    const send = () => call(`${app.url}/chat/message`, { token: key, body: { chat_id: chat.id, content: 'Hello' } });
    expect((await send()).status).toBe(200);
    expect(expectFailure(await send(), 429, 'QUOTA_EXCEEDED').details).toMatchObject({ quota: 'messages', limit: 1 });
    expect(await admin.items<AdminUserDto>('/admin/users?user_type=service')).toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  it('cannot log in, and gets no mail', async () => {
    const { id, email } = await make();
    expectFailure(
      await call(`${app.url}/auth/login`, { body: { email, password: 'a password' } }),
      401,
      'INVALID_CREDENTIALS',
    );
    expect((await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'login' } })).status).toBe(200);
    const known = { email, verification_code: '000000' };
    expectFailure(await call(`${app.url}/auth/login`, { body: known }), 400, 'INVALID_CODE');
    await admin.delete(`/admin/users/${id}`);
    expect(await rows().repository(QueuedMailEntity).countBy({ recipient: email })).toBe(0);
    expect(await rows().repository(SessionEntity).countBy({ userId: id })).toBe(0);
  });

  it.each<[string, object, string]>([
    ['an address', { email: 'somebody@example.com' }, 'email'],
    ['a password', { password: 'correct horse battery staple' }, 'password'],
    ['no name', { username: undefined }, 'username'],
  ])('is not created with %s', async (_what, fields, field) => {
    const body = { username: newcomer().username, user_type: 'service', ...fields };
    expect(expectFailure(await admin.post('/admin/users', body), 422, 'VALIDATION_ERROR').details).toMatchObject({
      field,
    });
  });

  it('is the only type without an address', async () => {
    const body = { username: newcomer().username, password: 'correct horse battery staple' };
    expectFailure(await admin.post('/admin/users', body), 422, 'VALIDATION_ERROR');
  });

  it('never becomes a person, and a person never becomes one', async () => {
    const { id } = await make();
    const person = await createUser(app);
    for (const [user, user_type] of [
      [id, 'normal'],
      [id, 'admin'],
      [person.user.id, 'service'],
      [admin.id, 'service'],
    ] as const) {
      const answer = await admin.put(`/admin/users/${user}`, { user_type });
      expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'user_type' });
    }
    expect((await admin.put(`/admin/users/${id}`, { user_type: 'service', note: 'Back end.' })).status).toBe(200);
  });

  it('has no administrator key', async () => {
    const { id } = await make();
    expect(expectFailure(await keyOf(id, { scopes: ['admin:read'] }), 422, 'VALIDATION_ERROR').details).toMatchObject({
      field: 'scopes',
    });
  });

  it('can be banned and closed like any other account', async () => {
    const { id } = await make();
    const { key } = (await keyOf(id)).body.data;
    await admin.post(`/admin/users/${id}/ban`, { reason: 'Broken.' });
    expectFailure(await chats(key), 403, 'ACCOUNT_BANNED');
    await admin.post(`/admin/users/${id}/unban`);
    expect((await chats(key)).status).toBe(200);
    await admin.delete(`/admin/users/${id}`);
    expectFailure(await chats(key), 401, 'API_KEY_INVALID');
  });
});
