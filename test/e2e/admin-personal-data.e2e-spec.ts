import { Database } from '../../src/database/database';
import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { AuditLogEntity } from '../../src/modules/admin/audit/audit-log.entity';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createUser, newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { call } from '../support/http';
import { useAdmin, useTestApp } from '../support/use-app';

describe('personal data in the audit log', () => {
  const app = useTestApp({ ADMIN_CONTENT_ACCESS: 'true' });
  const admin = useAdmin(app);
  const erase = async (userId: number) => {
    const source = app.app.get(PersonalDataRegistry).sources.find(({ name }) => name === 'audit_logs');
    await source?.erase(userId);
  };

  it('is in the export of the administrator, without the data of other users', async () => {
    const leaver = await AdminClient.of(app);
    const { user } = await createUser(app);
    await leaver.put(`/admin/users/${user.id}`, { note: 'Lives in Lisbon.' });
    await leaver.post('/agents', { name: 'Secret keeper', system_prompt: 'Keep the secret.' });
    await leaver.post(`/admin/users/${user.id}/ban`, { reason: 'Known to us.' });
    await admin.put(`/admin/users/${leaver.id}`, { user_type: 'normal' });
    const { body, text } = await call<{ audit_logs: object[] }>(`${app.url}/user/export`, {
      token: leaver.account.token,
    });
    expect(body.audit_logs[0]).toEqual({
      id: expect.any(Number),
      action: 'user.update',
      target_type: 'user',
      target_id: String(user.id),
      api_key_id: null,
      address: '127.0.0.1',
      user_agent: 'admin-test',
      request_id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
    });
    expect(body.audit_logs).toHaveLength(3);
    expect(text).not.toMatch(new RegExp(`Lisbon|Keep the secret|Known to us|${user.username}`));
  });

  it('is removed with the account, and the actions stay', async () => {
    const { user, email } = await createUser(app);
    const path = `/admin/users/${user.id}`;
    await admin.post(`${path}/ban`, { reason: `Is known to us as ${email}.` });
    await admin.put(path, { username: 'renamed.person', note: 'Lives in Lisbon.', quota_messages: 5 });
    await admin.delete(path);
    await erase(user.id);
    const rows = await app.app
      .get(Database)
      .repository(AuditLogEntity)
      .find({ order: { id: 'ASC' } });
    const entries = rows.filter(({ targetId }) => targetId === String(user.id));
    expect(entries.map(({ action, after }) => [action, after])).toEqual([
      ['user.ban', { status: 'banned' }],
      ['user.update', { quota_messages: 5 }],
      ['user.delete', null],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${email}|${user.username}|renamed|Lisbon|known to us`));
  });

  it("is removed from the reason for reading a conversation with its owner, and the owner's id stays", async () => {
    const { user, token } = await createUser(app);
    const { body: chat } = await call<{ id: number }>(`${app.url}/chat`, { token, body: {} });
    const reason = encodeURIComponent('Lovelace asked us to.');
    expect((await admin.get(`/admin/chats/${chat.id}?reason=${reason}`)).status).toBe(200);
    const path = `/admin/audit_logs?target=chat:${chat.id}`;
    expect(await admin.items<AuditLogDto>(path)).toMatchObject([
      { action: 'chat.read', subject_id: user.id, reason: 'Lovelace asked us to.' },
    ]);
    await erase(user.id);
    expect(await admin.items<AuditLogDto>(path)).toMatchObject([{ subject_id: user.id, reason: null }]);
  });

  it('does not include the address of a test mail', async () => {
    const { email } = await createUser(app);
    const [entry] = await admin.entriesOf(await admin.post('/admin/email/test', { to: email }));
    expect(entry).toMatchObject({ action: 'email.test', before: null, after: null });
  });

  it('does not include the address of an invited user', async () => {
    const { email } = newcomer();
    const answer = await admin.post<{ id: number }>('/admin/invitations', { email, membership_type: 'monthly' });
    const taken = await admin.delete(`/admin/invitations/${answer.body.data.id}`);
    const entries = [...(await admin.entriesOf(answer)), ...(await admin.entriesOf(taken))];
    expect(entries.map(({ action }) => action)).toEqual(['invitation.create', 'invitation.delete']);
    expect(entries[0]?.after).toMatchObject({ membership_type: 'monthly' });
    expect(JSON.stringify(entries)).not.toContain(email);
  });

  it('is removed from the notes on budgets of the user and of the keys, and these budgets are removed too', async () => {
    const [leaver, other] = [await createUser(app), await createUser(app)];
    const keyOf = (token: string) => makeKey(app, token, { name: 'Nightly' });
    const [own, others] = [await keyOf(leaver.token), await keyOf(other.token)];
    const note = 'Lovelace in Lisbon.';
    const budget = async (scope: string, scope_id: number): Promise<number> =>
      (await makeBudget(admin, { scope, scope_id, limit: '1', mode: 'soft', note })).id;
    const gone = [await budget('user', leaver.user.id), await budget('api_key', own.id)];
    const kept = [await budget('user', other.user.id), await budget('api_key', others.id)];
    for (const source of app.app.get(PersonalDataRegistry).sources) {
      await source.erase(leaver.user.id);
    }
    const budgets = await admin.items<BudgetDto>('/admin/budgets?size=100');
    const notes = [...gone, ...kept].map((id) => budgets.find((one) => one.id === id)?.note);
    expect(notes).toEqual([null, null, note, note]);
    const logs = await admin.items<AuditLogDto>('/admin/audit_logs?action=budget.create');
    const noted = [...gone, ...kept].map(
      (id) => logs.find(({ target_id }) => target_id === String(id))?.after?.['note'],
    );
    expect(noted).toEqual([undefined, undefined, note, note]);
    for (const id of [...gone, ...kept]) await admin.delete(`/admin/budgets/${id}`);
  });

  it("is removed from many entries at once, only the user's own data from each", async () => {
    const { user } = await createUser(app);
    const entry = { actorId: 0, requestId: 'many', address: '127.0.0.1', createdAt: new Date() };
    const change = { action: 'user.update', targetType: 'user', targetId: String(user.id), subjectId: user.id };
    await app.app.get(Database).write(async (manager) => {
      for (let index = 0; index < 401; index++) {
        const after = { note: 'Lives in Lisbon.', quota_messages: index };
        await manager.insert(AuditLogEntity, { ...entry, ...change, after: after as never });
      }
    });
    const writing = jest.spyOn(app.app.get(Database), 'write');
    await erase(user.id);
    // The service's background work may write concurrently.
    expect(writing.mock.calls.length).toBeLessThan(50);
    const rows = await app.app
      .get(Database)
      .repository(AuditLogEntity)
      .find({ where: { subjectId: user.id }, order: { id: 'ASC' } });
    expect(rows.map(({ after }) => after)).toEqual(
      Array.from({ length: 401 }, (_, index) => ({ quota_messages: index })),
    );
  });

  it('includes no address of an administrator after the account is erased, and keeps the id', async () => {
    const leaver = await AdminClient.of(app);
    const { user } = await createUser(app);
    await leaver.put(`/admin/users/${user.id}`, { quota_messages: 9 });
    const webhook = {
      url: 'https://home-of-lovelace.example.com/',
      description: 'Lovelace at home.',
      events: ['chat.*'],
    };
    await leaver.post('/webhooks', { ...webhook, is_active: false });
    await erase(leaver.id);
    const [hook, entry] = await admin.items<AuditLogDto>(`/admin/audit_logs?actor_id=${leaver.id}`);
    expect(entry).toMatchObject({ actor_id: leaver.id, address: '', user_agent: null, after: { quota_messages: 9 } });
    expect(hook).toMatchObject({ action: 'webhook.create', after: { events: ['chat.*'] } });
    expect(JSON.stringify(hook)).not.toMatch(/lovelace/i);
  });
});
