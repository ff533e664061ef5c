import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { AuditTrail } from '../../src/modules/admin/audit/audit-trail';
import type { DeliveryDto } from '../../src/modules/webhook/management/delivery.dto';
import type { WebhookDto, WebhookWithSecretDto } from '../../src/modules/webhook/management/webhook.dto';
import { createUser, newcomer } from '../support/accounts';
import { ADMIN_WRITES, adminScene } from '../support/admin-calls';
import { AdminClient, type Enveloped } from '../support/admin-client';
import { eventually } from '../support/eventually';
import { type Answer, call, expectFailure } from '../support/http';
import { documentedRoutes } from '../support/openapi-routes';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const WEBHOOK = { url: 'https://hooks.example.com/services/T0/secret?token=abc', events: ['*'] };

describe('the audit log', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  it('covers every route on which administrators change data', () => {
    const writing = documentedRoutes(app).filter(({ access, method }) => access === 'admin' && method !== 'GET');
    expect(Object.keys(ADMIN_WRITES).sort()).toEqual(writing.map(({ name }) => name).sort());
  });

  it.each(Object.entries(ADMIN_WRITES))('has an entry for %s', async (route, toCall) => {
    const { path, body, action, target, subject = null } = toCall(await adminScene(app, admin.account));
    const answer = await call(`${app.url}${path}`, {
      method: route.split(' ')[0],
      token: admin.account.token,
      body,
      headers: { 'user-agent': 'admin-test' },
    });
    expect([200, 201]).toContain(answer.status);
    const entries = await admin.entriesOf(answer);
    expect(entries).toHaveLength(1);
    const [entry] = entries;
    expect(entry).toEqual({
      id: expect.any(Number),
      actor_id: admin.id,
      actor_username: admin.account.user.username,
      api_key_id: null,
      address: '127.0.0.1',
      user_agent: 'admin-test',
      request_id: answer.headers.get('x-request-id'),
      action,
      target_type: target.split(':')[0],
      target_id: target.split(':')[1] ?? entry?.target_id,
      subject_id: action.startsWith('user.') ? Number(entry?.target_id) : subject,
      before: entry?.before,
      after: entry?.after,
      reason: (body as { reason?: string } | undefined)?.reason ?? null,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('contains the changed fields before and after the change', async () => {
    const { user } = await createUser(app);
    const membership_expires_at = '2099-01-31T12:00:00.000Z';
    const change = {
      membership_type: 'yearly',
      membership_expires_at,
      quota_messages: 7,
      note: 'Friend of the house.',
    };
    const [updated] = await admin.entriesOf(await admin.put(`/admin/users/${user.id}`, change));
    expect(updated?.before).toEqual({
      membership_type: 'free',
      membership_expires_at: null,
      quota_messages: null,
      note: null,
    });
    expect(updated?.after).toEqual(change);
    const { agentId } = await adminScene(app, admin.account);
    const [changed] = await admin.entriesOf(await admin.put(`/agents/${agentId}`, { description: 'New.' }));
    expect(changed?.before).toEqual({ description: '', version: 2 });
    expect(changed?.after).toEqual({ description: 'New.', version: 3 });
    const [deleted] = await admin.entriesOf(await admin.delete(`/agents/${agentId}`));
    expect(deleted?.before).toMatchObject({ description: 'New.', system_prompt: 'Second.' });
    expect(deleted?.after).toBeNull();
  });

  it("contains administrators' changes to their webhooks, before and after", async () => {
    const created = await admin.post<WebhookWithSecretDto>('/webhooks', { ...WEBHOOK, scope: 'all', is_active: false });
    const { id, secret: _secret, created_at: _created, updated_at: _updated, ...shown } = created.body.data;
    const state = { ...shown, url: 'https://hooks.example.com/…' };
    const entryOf = async (answer: Answer<Enveloped<object>>, action: string) => {
      expect([200, 201]).toContain(answer.status);
      const entries = await admin.entriesOf(answer);
      expect(entries).toEqual([expect.objectContaining({ action, target_type: 'webhook', target_id: String(id) })]);
      return entries[0]!;
    };
    const creation = await entryOf(created, 'webhook.create');
    expect({ before: creation.before, after: creation.after }).toEqual({ before: null, after: state });
    const updated = await admin.put<object>(`/webhooks/${id}`, { description: 'Ours.', events: ['chat.*'] });
    const { before, after } = await entryOf(updated, 'webhook.update');
    expect({ before, after }).toEqual({
      before: { description: '', events: ['*'] },
      after: { description: 'Ours.', events: ['chat.*'] },
    });
    const rotated = await admin.post<WebhookDto>(`/webhooks/${id}/rotate_secret`);
    const { previous_secret_expires_at } = rotated.body.data;
    expect(await entryOf(rotated, 'webhook.rotate_secret')).toMatchObject({
      before: { previous_secret_expires_at: null },
      after: { previous_secret_expires_at },
    });
    const tested = await admin.post<DeliveryDto>(`/webhooks/${id}/test`);
    const { id: delivery_id, event_id } = tested.body.data;
    expect(await entryOf(tested, 'webhook.test')).toMatchObject({
      before: null,
      after: { delivery_id, event_id, event: 'webhook.test', status: 'pending' },
    });
    const path = `/webhooks/${id}/deliveries/${delivery_id}`;
    await eventually(async () => (await admin.get<DeliveryDto>(path)).body.data.status === 'failed');
    const redelivered = await admin.post<DeliveryDto>(`${path}/redeliver`);
    const { next_attempt_at } = redelivered.body.data;
    expect(await entryOf(redelivered, 'webhook.redeliver')).toMatchObject({
      before: { delivery_id, status: 'failed', next_attempt_at: null },
      after: { delivery_id, status: 'pending', next_attempt_at },
    });
    const period = { from: '2026-01-01', to: '2026-02-01' };
    const replayed = await admin.post<object>(`/webhooks/${id}/replay`, period);
    expect(await entryOf(replayed, 'webhook.replay')).toMatchObject({
      before: null,
      after: {
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-02-01T23:59:59.999Z',
        only_failed: false,
        events: 0,
      },
    });
    const deleted = await admin.delete<object>(`/webhooks/${id}`);
    expect(await entryOf(deleted, 'webhook.delete')).toMatchObject({
      before: {
        ...state,
        events: ['chat.*'],
        description: 'Ours.',
        previous_secret_expires_at,
        failing_since: expect.any(String),
        failure_count: expect.any(Number),
        last_failure_at: expect.any(String),
      },
      after: null,
    });
  });

  it("has no entry for users' changes to their own webhooks", async () => {
    const { token } = await createUser(app);
    const answer = await call(`${app.url}/webhooks`, { token, body: WEBHOOK });
    expect(answer.status).toBe(201);
    expect(await admin.entriesOf(answer)).toEqual([]);
  });

  it('never contains a secret', async () => {
    const newUser = { ...newcomer(), password: 'a password nobody must ever read' };
    await admin.post('/admin/users', newUser);
    const { text } = await admin.get('/admin/audit_logs?size=100');
    expect(text).not.toContain(newUser.password);
    expect(text).not.toMatch(/argon2|whsec_|password_hash|eyJ[\w-]{8}|secret\?token/);
  });

  it('keeps only known fields of a body, and no values when nothing changes', async () => {
    const stray = { extra: 'x', pwd: 'y', headers: { authorization: 'Bearer eyJ' } };
    const trials = {
      '/admin/models/test': { provider: 'demo', content: 'Hello' },
      '/agents/1/test': { content: 'Hello' },
    };
    for (const [path, body] of Object.entries(trials)) {
      const [entry] = await admin.entriesOf(await admin.post(path, { ...body, ...stray }));
      expect(entry?.after).toEqual(body);
    }
    const [unchanged] = await admin.entriesOf(await admin.put('/agents/1', stray));
    expect(unchanged).toMatchObject({ action: 'PUT /agents/:id', target_id: '1', before: null, after: null });
  });

  it('has no entry for refused requests', async () => {
    const answers = [
      await admin.put('/admin/users/999999999', { note: 'x' }),
      await admin.put('/admin/plans/free', { messages_per_day: -1 }),
      await admin.put('/admin/plans/free', {}),
      await admin.post('/admin/users', { ...newcomer(), username: admin.account.user.username }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 422, 422, 409]);
    for (const answer of answers) {
      expect(await admin.entriesOf(answer)).toEqual([]);
    }
  });

  it('rolls the change back if its entry cannot be written', async () => {
    const { user } = await createUser(app);
    const owner = await AdminClient.of(app);
    const hook = (await owner.post<WebhookWithSecretDto>('/webhooks', { ...WEBHOOK, is_active: false })).body.data;
    const recording = jest.spyOn(app.app.get(AuditTrail), 'record').mockRejectedValue(new Error('disk full'));
    const answer = await admin.put(`/admin/users/${user.id}`, { note: 'never to be seen' });
    const trial = await admin.post('/admin/models/test', { provider: 'demo' });
    const hooks = [
      await owner.post('/webhooks', WEBHOOK),
      await owner.put(`/webhooks/${hook.id}`, { description: 'never to be seen' }),
      await owner.delete(`/webhooks/${hook.id}`),
    ];
    recording.mockRestore();
    expectFailure(answer, 500, 'INTERNAL_ERROR');
    expectFailure(trial, 500, 'INTERNAL_ERROR');
    hooks.forEach((failed) => expectFailure(failed, 500, 'INTERNAL_ERROR'));
    const { secret: _secret, ...unchanged } = hook;
    expect(await owner.items('/webhooks')).toEqual([unchanged]);
    expect((await admin.get<{ note: string | null }>(`/admin/users/${user.id}`)).body.data.note).toBeNull();
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('cannot be changed by %s', async (method) => {
    const [newest] = await admin.items<AuditLogDto>('/admin/audit_logs?size=1');
    for (const path of ['/admin/audit_logs', `/admin/audit_logs/${newest?.id}`]) {
      const answer = await call(`${app.url}${path}`, { method, token: admin.account.token, body: {} });
      expect([404, 405]).toContain(answer.status);
    }
    const [stillNewest] = await admin.items<AuditLogDto>('/admin/audit_logs?size=1');
    expect(stillNewest).toEqual(newest);
  });
});
